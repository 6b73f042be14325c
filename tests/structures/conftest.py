"""A fixture that plants faults in kernels."""

from collections.abc import Callable

import pytest

from muntin.kernels.compiler import specialization as modules

Plant = Callable[[tuple[str, ...], str, str], None]


@pytest.fixture
def plant(monkeypatch: pytest.MonkeyPatch) -> Plant:
    """Build kernels from sources in which one text replaces another."""

    def planted(sources: tuple[str, ...], good: str, bad: str) -> None:
        source = modules.joined_sources(sources)
        assert good in source

        def mutated(_: tuple[str, ...]) -> str:
            return source.replace(good, bad)

        monkeypatch.setattr(modules, "joined_sources", mutated)

    return planted
