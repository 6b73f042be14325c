"""Lemmas on the decision trees of [Traub20], Figures 4 to 6, for all workloads."""

from muntin.optimized.scotty.workload import (
    Characteristics,
    SliceKind,
    keeps_tuples,
    removal,
    splits,
    stores_tuples,
)
from muntin.spec.windows.window import Context

CONTEXTS: tuple[Context, ...] = ("CF", "FCF", "FCA")
CONTEXT_FREE, FORWARD_FREE, AWARE = range(3)
PLACES: tuple[SliceKind, ...] = ("times", "ranks", "arrivals", "begins", "tuples")

Flags = tuple[bool, bool, bool, bool]
"""In order, commutative, invertible, in the count measure."""


def workload(flags: Flags, context: int, *, session: bool) -> Characteristics:
    """The characteristics; a session is forward context free."""
    in_order, commutative, invertible, counted = flags
    return Characteristics(in_order, commutative, invertible, CONTEXTS[context], session, counted)


def recomputed_tuples_are_stored(flags: Flags, context: int, *, session: bool) -> None:
    """Figures 5 and 6 with 4: where slices are split, or tuples taken out, tuples are kept."""
    assert 0 <= context < 3
    assert not session or context == FORWARD_FREE

    of = workload(flags, context, session=session)
    assert stores_tuples(of) or not splits(of)
    assert stores_tuples(of) or removal(of) == "none"


def in_order_only_context_aware_windows_store(flags: Flags, context: int, *, session: bool) -> None:
    """Figure 4, the upper branch."""
    assert flags[0]
    assert 0 <= context < 3

    of = workload(flags, context, session=session)
    assert stores_tuples(of) == (context == AWARE)
    assert removal(of) == "none"


def sessions_in_time_never_store(flags: Flags) -> None:
    """Figure 4: sessions of a commutative aggregate need no tuples, whatever the order."""
    assert flags[1]
    assert not flags[3]

    of = workload(flags, FORWARD_FREE, session=True)
    assert not stores_tuples(of)
    assert not splits(of)


def disorder_never_stores_less(flags: Flags, context: int, *, session: bool) -> None:
    """Figure 4: what is stored in order is stored out of order too."""
    assert 0 <= context < 3
    assert not session or context == FORWARD_FREE

    ordered = workload((True, *flags[1:]), context, session=session)
    disordered = workload((False, *flags[1:]), context, session=session)
    assert stores_tuples(disordered) or not stores_tuples(ordered)
    assert splits(disordered) or not splits(ordered)


def tuples_are_kept_as_figure_4_says_between_known_edges(
    flags: Flags, context: int, place: int, *, session: bool
) -> None:
    """Figure 4 alone decides where edges are known; where tuples cut slices, all are kept."""
    assert 0 <= context < 3
    assert 0 <= place < 5
    assert not session or context == FORWARD_FREE

    of, where = workload(flags, context, session=session), PLACES[place]
    kept = keeps_tuples(of, where)
    assert kept == stores_tuples(of) or where not in ("times", "ranks")
    assert kept or where != "tuples"
    assert not kept or where not in ("begins", "arrivals")
