"""The benchmark of kernels on tiny windows: what it compares is right. No test is of time."""

from dataclasses import replace
from pathlib import Path

import pytest

from kernel_rounds.claims import claims, cost
from kernel_rounds.measure import MAIN, QUICK, READABLE, KernelRow, KernelTimer, ReadableTimer
from kernel_rounds.page import NAMES, page, save
from rounds.clock import DisagreementError
from rounds.report import Claim

PLAN = replace(QUICK, rounds=40, readable_rounds=40)
ROWS = [
    KernelRow(name, size, distance, (900.0 if name == READABLE else 7.0) + distance / 100)
    for name in NAMES
    for size in (2**10, 2**12)
    for distance in (0, 16, 1024)
]


def test_the_readable_tree_and_its_stream_stay_together() -> None:
    timer = ReadableTimer(64, 16, 40)
    for distance in (16, 0):
        timer.feed.reduce_distance(distance)
        timer.turn()
        timer.check()
    assert timer.best < float("inf")


def test_columns_and_their_stream_stay_together() -> None:
    """With the smallest aggregate of all those that the benchmark has compiled: one is enough."""
    timer = KernelTimer(MAIN, 64, 16, 40)
    timer.turn()
    timer.check()
    timer.feed.rounds(1)
    with pytest.raises(DisagreementError, match="kernels at n = 64"):
        timer.check()


def test_claims_read_the_rows_that_they_name() -> None:
    assert all(claim.holds for claim in claims(ROWS))
    assert cost(ROWS, MAIN, 2**12, 16) == pytest.approx(7.16)
    for size, distance, worse, words in (
        (2**12, 0, 1.6, "flat in n"),
        (2**12, 16, 5.0, "at d = 16 at most 4x"),
        (2**10, 1024, 9.0, "at d = 1024 at most 10x"),
        (2**10, 0, 2.0, "at least 100x"),
    ):
        hit = (MAIN, size, distance)
        rows = [r._replace(ns=worse * r.ns) if r[:3] == hit else r for r in ROWS]
        assert any(words in claim.sentence and not claim.holds for claim in claims(rows)), words


def test_the_page_and_the_plot_show_every_implementation(tmp_path: Path) -> None:
    results = [*claims(ROWS), Claim(holds=False, sentence="pigs fly", figures="0")]
    text = page(ROWS, results, {MAIN: 1.5}, PLAN)
    assert all(f"| {name} |" in text for name in NAMES)
    assert "| **FAIL** | pigs fly | 0 |" in text
    save(ROWS, tmp_path)
    assert "kernels" in (tmp_path / "kernels.svg").read_text()
