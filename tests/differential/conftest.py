"""One local Spark session for all tests of differential runs."""

from collections.abc import Iterator

import pytest

from muntin.registry.dataframes.session import Session, session


@pytest.fixture(scope="session")
def spark() -> Iterator[Session]:
    """Start Spark once."""
    with session("local[2]") as started:
        yield started
