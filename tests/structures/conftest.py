"""What plants faults in kernels."""

from collections.abc import Callable

import pytest

from muntin.kernels.compiler import specialization as modules

Plant = Callable[[tuple[str, ...], str, str], None]


@pytest.fixture
def plant(monkeypatch: pytest.MonkeyPatch) -> Plant:
    """Return what lets kernels be made of sources in which a text stands for another."""

    def planted(sources: tuple[str, ...], good: str, bad: str) -> None:
        source = modules.joined_sources(sources)
        assert good in source

        def mutated(_: tuple[str, ...]) -> str:
            return source.replace(good, bad)

        monkeypatch.setattr(modules, "joined_sources", mutated)

    return planted
