"""A bar is drawn on a terminal, after two seconds; a table that is fed in steps has one result."""

import sys
from collections.abc import Callable
from io import StringIO

import pytest

from muntin.columnar import table as calls
from muntin.columnar.progress import RowProgress
from muntin.columnar.table import CallArguments
from muntin.spec.dialect import Dialect
from muntin.spec.windows.data_driven import LastNEvery, Punctuation, Rolling, Session
from muntin.spec.windows.periodic import Sliding, count, tumbling
from support.arrow_results import aggregate, rolling

ERASED = "\r\x1b[K"


class Terminal(StringIO):
    """What is written to a terminal, or to a file."""

    def __init__(self, *, is_terminal: bool = True) -> None:
        super().__init__()
        self.is_terminal = is_terminal

    def isatty(self) -> bool:
        return self.is_terminal


class Clock:
    """A clock that a test sets."""

    now = 100.0

    def __call__(self) -> float:
        return self.now


def test_a_bar_is_drawn_after_two_seconds_and_erased() -> None:
    terminal, clock = Terminal(), Clock()
    with RowProgress(2_000_000, stream=terminal, clock=clock) as bar:
        clock.now += 1.9
        bar.advance(500_000)
        assert terminal.getvalue() == ""
        clock.now += 2.1
        bar.advance(1_000_000)
        drawn = f"\r[{'#' * 15:<30}]  50% of 2,000,000 rows, 4 s left\x1b[K"
        assert terminal.getvalue() == drawn
        clock.now += 0.05
        bar.advance(1_100_000)
        assert terminal.getvalue() == drawn
    assert terminal.getvalue() == drawn + ERASED


def fail_after(advance: Callable[[int], None]) -> float:
    advance(3)
    return 1 / 0


def test_a_bar_is_erased_when_the_call_fails() -> None:
    terminal = Terminal()
    with pytest.raises(ZeroDivisionError), RowProgress(9, shown=True, stream=terminal) as bar:
        fail_after(bar.advance)
    assert terminal.getvalue().endswith(ERASED)


@pytest.mark.parametrize(("shown", "is_terminal"), [(False, True), (True, False), (None, False)])
def test_nothing_is_drawn_where_nobody_looks(*, shown: bool | None, is_terminal: bool) -> None:
    terminal, clock = Terminal(is_terminal=is_terminal), Clock()
    with RowProgress(10, shown, stream=terminal, clock=clock) as bar:
        clock.now += 60
        bar.advance(5)
    assert terminal.getvalue() == ""


TABLE: dict[str, object] = {
    "ts": [(7 * n) % 50 - 10 for n in range(40)],
    "k": [n % 3 for n in range(40)],
    "v": [None if n % 7 == 0 else n for n in range(40)],
    "w": [n / 4 for n in range(40)],
    "g": [None if n % 3 else 2 + n % 4 for n in range(40)],
    "p": [n % 5 == 0 for n in range(40)],
}
CALLS: dict[str, CallArguments] = {
    "one column": {
        "windows": [tumbling(7), Sliding(9, 4), Session(3), Rolling(4), count(3), LastNEvery(2, 5)],
        "aggregates": ["count", ("sum", "v"), ("collect", "v"), ("last", "v")],
        "keys": "k",
        "gap": "g",
    },
    "several columns": {
        "windows": [tumbling(7), Punctuation(), Session(4)],
        "aggregates": [("sum", "v"), ("argmax", "v", "w"), ("median", "w")],
        "mark": "p",
        "dialect": Dialect(session_merge="le"),
    },
    "rows": {"windows": [tumbling(7)], "aggregates": ["count"]},
}


@pytest.mark.parametrize("rows_a_step", [1, 7, 39, 40])
@pytest.mark.parametrize("name", CALLS)
def test_a_table_in_steps_has_the_same_windows(
    monkeypatch: pytest.MonkeyPatch, name: str, rows_a_step: int
) -> None:
    expected = sorted(aggregate(TABLE, **CALLS[name]).to_pylist(), key=repr)  # keys in any order
    each = rolling(TABLE, size=5, aggregates=[("sum", "v"), "count"], keys="k").to_pylist()
    monkeypatch.setattr(calls, "ROWS_A_STEP", rows_a_step)
    assert sorted(aggregate(TABLE, **CALLS[name]).to_pylist(), key=repr) == expected
    assert rolling(TABLE, size=5, aggregates=[("sum", "v"), "count"], keys="k").to_pylist() == each


def test_a_call_draws_a_bar_on_request(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(calls, "ROWS_A_STEP", 10)
    monkeypatch.setattr(sys, "stderr", terminal := Terminal())
    aggregate(TABLE, **CALLS["rows"])
    assert terminal.getvalue() == ""
    aggregate(TABLE, windows=[tumbling(7)], aggregates=["count"], progress=True)
    assert "25% of 40 rows" in terminal.getvalue()
    assert terminal.getvalue().endswith(ERASED)
