"""The pytest plugin: a marked test holds an engine to the specification (docs/verify.md).

    @pytest.mark.windows("tumbling", "session", dialect={"lateness": "window"}, traces=200)
    def test_my_operator(muntin_verify):
        muntin_verify(MyAdapter())

A test draws its traces from its own id and --muntin-seed: the same under pytest-xdist.
"""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING
from zlib import crc32

import pytest

if TYPE_CHECKING:  # nothing of the kit is imported before a test needs it
    from muntin.conformance.engines.marked_test import EngineLike

VerifyEngine = Callable[["EngineLike"], None]
CheckTranscript = Callable[["EngineLike", "str | Path"], None]

MARK = "windows"


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options."""
    group = parser.getgroup("muntin", "windows, held to the specification")
    traces = "how many traces each marked test draws (default: what its mark says, or 200)"
    out = "where the transcript of a failure is written (default: .muntin)"
    group.addoption("--muntin-traces", type=int, metavar="N", help=traces)
    group.addoption("--muntin-seed", type=int, default=0, metavar="N", help="draw other traces")
    group.addoption("--muntin-out", default=".muntin", metavar="DIR", help=out)


def pytest_configure(config: pytest.Config) -> None:
    """Register the mark."""
    line = "windows(*types, dialect={}, traces=200): the traces of the fixture muntin_verify"
    config.addinivalue_line("markers", line)


def _item(request: pytest.FixtureRequest) -> pytest.Item:
    node: object = request.node  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType] - untyped
    if not isinstance(node, pytest.Item):
        raise TypeError(f"a fixture of muntin is one of a test, not of {node!r}")
    return node


@pytest.fixture
def muntin_seed(request: pytest.FixtureRequest) -> int:
    """The seed of a test: of its id, and of --muntin-seed."""
    item = _item(request)
    return crc32(f"{item.nodeid}:{request.config.option.muntin_seed}".encode())


@pytest.fixture
def muntin_verify(request: pytest.FixtureRequest, muntin_seed: int) -> VerifyEngine:
    """Hold an engine to the specification on random traces; a failure is one small trace."""
    from muntin.conformance.engines.marked_test import MarkedTest  # noqa: PLC0415 - see above

    item, given = _item(request), request.config.option
    mark = item.get_closest_marker(MARK) or pytest.mark.windows().mark
    traces: dict[str, int] = {"traces": given.muntin_traces} if given.muntin_traces else {}
    test = MarkedTest(item.nodeid, Path(given.muntin_out), given.muntin_seed)
    plan = test.plan(mark.args, muntin_seed, {**mark.kwargs, **traces})

    def verify(engine: "EngineLike") -> None:
        if message := test.failure(engine, plan):
            pytest.fail(message, pytrace=False)

    return verify


@pytest.fixture
def muntin_check() -> CheckTranscript:
    """Replay one transcript on an engine, and compare it with the specification."""
    from muntin.conformance.engines.marked_test import transcript_failure  # noqa: PLC0415 - see above

    def check(engine: "EngineLike", path: "str | Path") -> None:
        if message := transcript_failure(engine, Path(path)):
            pytest.fail(message, pytrace=False)

    return check
