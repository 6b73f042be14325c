"""One session of Spark for all tests that need one."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from muntin.spark.spark_session import local_session
from muntin.spark.streaming import processor

SETTINGS = {
    "spark.sql.shuffle.partitions": "2",
    "spark.default.parallelism": "2",
    "spark.driver.memory": "1g",
    "spark.log.level": "OFF",
}


@pytest.fixture(scope="session")
def spark(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SparkSession]:
    """A session with two cores."""
    folder = tmp_path_factory.mktemp("spark")
    places = {"spark.sql.warehouse.dir": str(folder), "spark.local.dir": str(folder)}
    session = local_session("tests", "local[2]", {**SETTINGS, **places})
    yield session
    session.stop()


@pytest.fixture
def checkpoint(tmp_path: Path) -> str:
    """An empty folder."""
    return str(tmp_path / "checkpoint")


@pytest.fixture
def one_unit_is_a_millisecond(monkeypatch: pytest.MonkeyPatch) -> None:
    """Measure watermarks, which Spark keeps in milliseconds, in the unit of small tables."""
    monkeypatch.setattr(processor, "MICROS_PER_MILLI", 1)
