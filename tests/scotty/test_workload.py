"""The decision trees of paper 000, tabulated; refuted claims decide nothing."""

from dataclasses import replace
from itertools import product

import pytest

from muntin.optimized.common.aggregate_facts import without_refuted_facts
from muntin.optimized.scotty import workload
from muntin.optimized.scotty.operator import Scotty
from muntin.optimized.scotty.workload import (
    Characteristics,
    SliceKind,
    characteristics,
    keeps_tuples,
    removal,
    splits,
    stores_tuples,
)
from muntin.spec.algebra.aggregate import Aggregate, AnyAggregate
from muntin.spec.algebra.catalogue import NAMES, named, named_keeping_nulls
from muntin.spec.algebra.monoid import Monoid
from muntin.spec.query import Query, Settings
from muntin.spec.windows.data_driven import Punctuation, Rolling, Session
from muntin.spec.windows.measure import COUNT
from muntin.spec.windows.periodic import count, tumbling
from muntin.spec.windows.window import Context, WindowType

TYPES: dict[str, tuple[Context, bool]] = {
    "context free": ("CF", False),
    "session": ("FCF", True),
    "forward context free": ("FCF", False),
    "forward context aware": ("FCA", False),
}
ALWAYS, COUNTED, DISORDERED, NEVER = "always", "by count or not commutative", "disordered", "never"
FIGURE_4 = {
    "context free": COUNTED,
    "session": COUNTED,
    "forward context free": DISORDERED,
    "forward context aware": ALWAYS,
}
FIGURE_5 = {
    "context free": NEVER,
    "session": NEVER,
    "forward context free": DISORDERED,
    "forward context aware": ALWAYS,
}
ROWS = list(product(TYPES, [False, True], [False, True], [False, True], [False, True]))


def row(window_class: str, *flags: bool) -> Characteristics:
    in_order, commutative, invertible, counted = flags
    context, session = TYPES[window_class]
    return Characteristics(in_order, commutative, invertible, context, session, counted)


def requires(branch: str, traits: Characteristics) -> bool:
    counted = not traits.in_order and (traits.count_measure or not traits.commutative)
    disordered = not traits.in_order
    return {ALWAYS: True, COUNTED: counted, DISORDERED: disordered, NEVER: False}[branch]


@pytest.mark.parametrize("window_class", TYPES)
def test_figures_4_and_5_for_every_workload(window_class: str) -> None:
    for _, *flags in [flags_row for flags_row in ROWS if flags_row[0] == window_class]:
        traits = row(window_class, *flags)
        assert stores_tuples(traits) == requires(FIGURE_4[window_class], traits)
        assert splits(traits) == requires(FIGURE_5[window_class], traits)


STORED: dict[SliceKind, bool | None] = {
    "times": None,
    "ranks": None,
    "arrivals": False,
    "begins": False,
    "tuples": True,
}
"""Whether tuples are stored in slices of this kind; with None, Figure 4 decides."""


@pytest.mark.parametrize("slice_kind", STORED)
def test_tuples_are_stored_by_figure_4_except_where_nothing_moves_or_tuples_cut(
    slice_kind: SliceKind,
) -> None:
    for flags in ROWS:
        traits, stored = row(*flags), STORED[slice_kind]
        assert keeps_tuples(traits, slice_kind) == (
            stores_tuples(traits) if stored is None else stored
        )


def test_figure_6_for_every_workload() -> None:
    for window_class, *flags in ROWS:
        traits = row(window_class, *flags)
        shifts = traits.count_measure and not traits.in_order
        removed_by = "invert" if traits.invertible else "recompute"
        assert removal(traits) == (removed_by if shifts else "none")


@pytest.mark.parametrize(
    ("window", "context", "session", "counted"),
    [
        (tumbling(3), "CF", False, False),
        (Session(3), "FCF", True, False),
        (Session(3, COUNT), "FCF", False, True),
        (Punctuation(), "FCF", False, False),
        (Rolling(3), "FCA", False, False),
        (count(3), "CF", False, True),
    ],
)
def test_characteristics_are_those_of_the_query(
    window: WindowType,
    context: Context,
    session: bool,  # noqa: FBT001 - a column of the table
    counted: bool,  # noqa: FBT001 - a column of the table
) -> None:
    traits = characteristics(Query("q", window, named("sum")), Settings())
    assert traits == Characteristics(False, True, True, context, session, counted)  # noqa: FBT003


def test_a_refuted_claim_is_not_used() -> None:
    minus = Monoid(0, int.__sub__, invert=int.__sub__)
    false_claims = Aggregate(
        "minus", int, minus, int, commutative=True, kind="distributive"
    ).erase_types()
    traits = characteristics(Query("q", count(3), false_claims), Settings())
    assert not traits.commutative
    assert not traits.invertible
    plus = Monoid(0, int.__add__, invert=int.__sub__)
    true_claims = Aggregate(
        "plus", int, plus, int, commutative=True, kind="distributive"
    ).erase_types()
    traits = characteristics(Query("q", count(3), true_claims), Settings())
    assert traits.commutative
    assert traits.invertible


def test_letters_that_an_aggregate_does_not_take_refute_nothing() -> None:
    traits = characteristics(Query("q", count(3), named("sum")), Settings(), ("no number",))
    assert traits.commutative
    assert traits.invertible


def test_claims_are_checked_once_for_an_aggregate_of_the_user_and_never_for_the_catalogue(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    seen: list[str] = []

    def recorded(
        aggregate: AnyAggregate, letters: tuple[object, ...], longest: int
    ) -> AnyAggregate:
        seen.append(aggregate.name)
        return without_refuted_facts(aggregate, letters, longest)

    monkeypatch.setattr(workload, "without_refuted_facts", recorded)
    plus = Monoid(0, lambda a, b: a + b, invert=lambda a, b: a - b)
    own = Aggregate("plus", int, plus, int, commutative=True, kind="distributive").erase_types()
    both = Scotty(), Scotty()
    for operator in both:
        for nth in range(10):
            operator.add(Query(f"own {nth}", count(nth + 1), own))
    assert seen == ["plus"]
    for name in NAMES:
        both[0].add(Query(f"{name} of nulls", count(3), named_keeping_nulls(name)))
        both[0].add(Query(name, count(3), named(name)))
    assert seen == ["plus"]


def test_a_false_claim_made_of_catalogue_functions_is_refuted() -> None:
    first = replace(named_keeping_nulls("first"), commutative=True)
    assert not characteristics(Query("q", tumbling(3), first), Settings()).commutative
    floats = characteristics(
        Query("q", count(3), named_keeping_nulls("sum")), Settings(), (0.1, 0.2)
    )
    assert not floats.invertible
