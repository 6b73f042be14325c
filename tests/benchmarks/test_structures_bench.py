"""The benchmark of structures on tiny windows: what it compares is right. No test is of time."""

from dataclasses import replace
from itertools import pairwise
from math import inf, isfinite
from pathlib import Path

import pytest

from muntin.spec.algebra.monoid import FREE
from rounds.clock import DisagreementError
from rounds.report import Claim
from structure_rounds.break_even import CASES, Measurable, ReEvaluation
from structure_rounds.claims import claims
from structure_rounds.counts import Count, counts, sweep
from structure_rounds.implementations import MeasuredStructure, SortedRefold, measured_structures
from structure_rounds.measure import QUICK, StructureTimer, Sweep, cell
from structure_rounds.operators import BLOOM, GEOMEAN, SUM, WORDS
from structure_rounds.page import page
from structure_rounds.plots import save
from structure_rounds.rankings import rankings
from structure_rounds.results import CLASSIC, FINGERS, StructureResults, fit
from structure_rounds.workload import Feed

SIZES = (16, 64, 256)
TINY = replace(
    QUICK, turn=20_000, counted_rounds=64, turns=2, widest=256, sizes=SIZES, longest_round=10**12
)
BY_NAME = {implementation.name: implementation for implementation in measured_structures()}


@pytest.fixture(scope="module")
def results() -> StructureResults:
    results = StructureResults()
    for one in (
        Sweep(SUM, measured_structures(), TINY),
        Sweep(GEOMEAN, measured_structures(), TINY),
        Sweep(BLOOM, measured_structures(), TINY),
    ):
        results.rows += one.rows()
    results.counts = list(counts(measured_structures(), TINY))
    return results


def test_every_structure_of_the_registry_takes_part_and_a_sorted_list() -> None:
    assert len(BY_NAME) == len(measured_structures())
    assert {"recompute", "two-stacks", "daba", "reactive", "sorted-refold"} < set(BY_NAME)
    assert {*FINGERS, *CLASSIC} < set(BY_NAME)


@pytest.mark.parametrize(
    ("name", "distance"),
    [(c.name, d) for c in measured_structures() for d in (0, 1, 5, 15) if c.supports(d, FREE)],
)
def test_each_implementation_answers_as_recompute_does(name: str, distance: int) -> None:
    """Words show in which order they were combined."""
    timer = StructureTimer(name, BY_NAME[name].build(FREE), Feed(WORDS, 16, distance))
    for _ in range(5):
        timer.play(7)
        timer.check()


class Hoarding(SortedRefold[int]):
    """A window that keeps some of what should leave."""

    def evict(self, time: int) -> None:
        if time % 4:
            super().evict(time)


def test_a_sabotaged_implementation_is_detected() -> None:
    timer = StructureTimer("hoarding", Hoarding(SUM.monoid), Feed(SUM, 16, 4))
    with pytest.raises(DisagreementError, match="hoarding answers another sum"):
        cell([timer], 4, TINY)


def test_the_distance_of_every_insert_is_the_requested_one() -> None:
    feed = Feed(SUM, 64, 20)
    held = [time for time, _ in feed.pairs()]
    for distance in (20, 5, 0):
        feed.reduce_distance(distance)
        for old, new, _ in feed.rounds(100):
            assert old == min(held)
            held.remove(old)
            assert sum(time > new for time in held) == distance
            held.append(new)
        assert sorted(held) == [time for time, _ in feed.pairs()]
        assert len(feed) == 64


def test_there_is_a_row_for_each_implementation_that_supports_a_stream(
    results: StructureResults,
) -> None:
    for operator in ("sum", "geomean"):
        for size in SIZES:
            names = [c.name for c in measured_structures() if c.supports(0, SUM.monoid)]
            assert all(isfinite(results.ns(operator, name, size, 0)) for name in names)
            assert results.ns(operator, "daba", size, 16) == inf
    assert results.ns("bloom", "subtract-on-evict", 16, 0) == inf


def test_slow_implementations_are_left_out_of_larger_sizes() -> None:
    plan = replace(TINY, longest_round=0)
    sweep = Sweep(SUM, [BY_NAME["recompute"], BY_NAME["fiba4"]], plan)
    assert {row.size for row in sweep.rows()} == {16}
    assert {(stop.implementation, stop.size) for stop in sweep.stops} == {
        ("recompute", 16),
        ("fiba4", 16),
    }


def count(name: str, size: int, distance: int = 0) -> Count:
    return next(sweep(BY_NAME[name], size, [distance]))


def test_counts_are_those_of_the_theorems() -> None:
    assert count("recompute", 64).combines == 64
    assert count("two-stacks", 64).combines == 3
    assert count("subtract-on-evict", 64).combines == 2
    flat = [count("fiba4", size).combines for size in (256, 1024)]
    assert max(flat) < 1.05 * min(flat)
    far = [count("fiba4", 1024, distance).combines for distance in (0, 16, 64)]
    assert all(near < farther for near, farther in pairwise(far))


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_re_evaluation_and_challengers_agree(case: Measurable) -> None:
    results = case.against(BY_NAME["two-stacks-lite"], replace(TINY, widest=20))
    assert results.once == inf or results.once % 10 == 0


def test_re_evaluation_reads_the_window_only() -> None:
    window = ReEvaluation[int](sum)
    window.bulk_insert([(1, 5), (2, 6)])
    window.evict(1)
    window.insert(3, 7)
    assert window.query() == 13


def test_the_line_of_least_squares_knows_how_far_off_it_is() -> None:
    assert fit({0: 10, 1: 20, 2: 30}) == pytest.approx((10, 10, 0, 1))
    assert fit({0: 10, 1: 26, 2: 30}).farthest == pytest.approx(4)


def test_page_and_plots_are_written_from_any_results(
    results: StructureResults, tmp_path: Path
) -> None:
    decided = claims(results)
    assert {type(claim) for claim in decided} == {Claim}
    assert rankings(results)
    text = page(results, decided, TINY)
    for name in save(results, tmp_path):
        assert f"images/{name}.svg" in text
        assert (tmp_path / f"{name}.svg").stat().st_size > 1000
        assert (tmp_path / f"{name}.png").stat().st_size > 1000


def test_a_claim_fails_if_a_window_is_missing(results: StructureResults) -> None:
    rows = [row for row in results.rows if (row.implementation, row.size) != ("daba", SIZES[-1])]
    decided = claims(StructureResults(rows, [], results.counts, []))
    about = [claim for claim in decided if claim.sentence.startswith("daba beats")]
    assert len(about) == 3
    assert not any(claim.holds for claim in about)


def test_structures_that_need_a_group_are_left_out_without_one() -> None:
    implementation = MeasuredStructure("x", SortedRefold, any_order=False, needs_group=True)
    assert implementation.supports(0, SUM.monoid)
    assert not implementation.supports(1, SUM.monoid)
    assert not implementation.supports(0, BLOOM.monoid)
