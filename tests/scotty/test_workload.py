"""The decision trees of paper 000, tabulated; claims that are refuted decide nothing."""

from dataclasses import replace
from itertools import product

import pytest

from muntin.optimized.common.aggregate_facts import without_refuted_facts
from muntin.optimized.scotty import workload
from muntin.optimized.scotty.operator import Scotty
from muntin.optimized.scotty.workload import (
    Characteristics,
    Erased,
    SliceKind,
    characteristics,
    keeps_tuples,
    removal,
    splits,
    stores_tuples,
)
from muntin.spec.algebra.aggregate import Aggregate
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


def row(kind: str, *flags: bool) -> Characteristics:
    in_order, commutative, invertible, counted = flags
    context, session = TYPES[kind]
    return Characteristics(in_order, commutative, invertible, context, session, counted)


def says(branch: str, of: Characteristics) -> bool:
    counted = not of.in_order and (of.count_measure or not of.commutative)
    disordered = not of.in_order
    return {ALWAYS: True, COUNTED: counted, DISORDERED: disordered, NEVER: False}[branch]


@pytest.mark.parametrize("kind", TYPES)
def test_figures_4_and_5_for_every_workload(kind: str) -> None:
    for _, *flags in [one for one in ROWS if one[0] == kind]:
        of = row(kind, *flags)
        assert stores_tuples(of) == says(FIGURE_4[kind], of)
        assert splits(of) == says(FIGURE_5[kind], of)


KEPT: dict[SliceKind, bool | None] = {
    "times": None,
    "ranks": None,
    "arrivals": False,
    "begins": False,
    "tuples": True,
}
"""Whether tuples are kept where slices lie so; with None, Figure 4 decides."""


@pytest.mark.parametrize("place", KEPT)
def test_tuples_are_kept_as_figure_4_says_but_where_nothing_moves_or_tuples_cut(
    place: SliceKind,
) -> None:
    for one in ROWS:
        of, kept = row(*one), KEPT[place]
        assert keeps_tuples(of, place) == (stores_tuples(of) if kept is None else kept)


def test_figure_6_for_every_workload() -> None:
    for kind, *flags in ROWS:
        of = row(kind, *flags)
        shifts = of.count_measure and not of.in_order
        how = "invert" if of.invertible else "recompute"
        assert removal(of) == (how if shifts else "none")


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
    found = characteristics(Query("q", window, named("sum")), Settings())
    assert found == Characteristics(False, True, True, context, session, counted)  # noqa: FBT003


def test_a_refuted_claim_is_not_used() -> None:
    minus = Monoid(0, int.__sub__, invert=int.__sub__)
    lies = Aggregate("minus", int, minus, int, commutative=True, kind="distributive").erase_types()
    found = characteristics(Query("q", count(3), lies), Settings())
    assert not found.commutative
    assert not found.invertible
    plus = Monoid(0, int.__add__, invert=int.__sub__)
    honest = Aggregate("plus", int, plus, int, commutative=True, kind="distributive").erase_types()
    found = characteristics(Query("q", count(3), honest), Settings())
    assert found.commutative
    assert found.invertible


def test_letters_that_an_aggregate_does_not_take_refute_nothing() -> None:
    found = characteristics(Query("q", count(3), named("sum")), Settings(), ("no number",))
    assert found.commutative
    assert found.invertible


def test_claims_are_checked_once_for_an_aggregate_of_the_user_and_never_for_the_catalogue(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    seen: list[str] = []

    def noted(aggregate: Erased, letters: tuple[object, ...], longest: int) -> Erased:
        seen.append(aggregate.name)
        return without_refuted_facts(aggregate, letters, longest)

    monkeypatch.setattr(workload, "without_refuted_facts", noted)
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


def test_a_false_claim_that_is_made_of_the_catalogue_is_found() -> None:
    first = replace(named_keeping_nulls("first"), commutative=True)
    assert not characteristics(Query("q", tumbling(3), first), Settings()).commutative
    floats = characteristics(
        Query("q", count(3), named_keeping_nulls("sum")), Settings(), (0.1, 0.2)
    )
    assert not floats.invertible
