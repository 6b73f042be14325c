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
    """Figures 5 and 6 with 4: where slices are split, or tuples removed, tuples are stored."""
    assert 0 <= context < 3
    assert not session or context == FORWARD_FREE

    characteristics = workload(flags, context, session=session)
    assert stores_tuples(characteristics) or not splits(characteristics)
    assert stores_tuples(characteristics) or removal(characteristics) == "none"


def in_order_only_context_aware_windows_store(flags: Flags, context: int, *, session: bool) -> None:
    """Figure 4, the upper branch."""
    assert flags[0]
    assert 0 <= context < 3

    characteristics = workload(flags, context, session=session)
    assert stores_tuples(characteristics) == (context == AWARE)
    assert removal(characteristics) == "none"


def sessions_in_time_never_store(flags: Flags) -> None:
    """Figure 4: sessions of a commutative aggregate need no tuples, whatever the order."""
    assert flags[1]
    assert not flags[3]

    characteristics = workload(flags, FORWARD_FREE, session=True)
    assert not stores_tuples(characteristics)
    assert not splits(characteristics)


def disorder_never_stores_less(flags: Flags, context: int, *, session: bool) -> None:
    """Figure 4: tuples that are stored in order are stored out of order too."""
    assert 0 <= context < 3
    assert not session or context == FORWARD_FREE

    ordered = workload((True, *flags[1:]), context, session=session)
    disordered = workload((False, *flags[1:]), context, session=session)
    assert stores_tuples(disordered) or not stores_tuples(ordered)
    assert splits(disordered) or not splits(ordered)


def tuples_are_kept_as_figure_4_says_between_known_edges(
    flags: Flags, context: int, kind_index: int, *, session: bool
) -> None:
    """Figure 4 alone decides where edges are known; where tuples cut slices, all are stored."""
    assert 0 <= context < 3
    assert 0 <= kind_index < 5
    assert not session or context == FORWARD_FREE

    characteristics, kind = workload(flags, context, session=session), PLACES[kind_index]
    is_kept = keeps_tuples(characteristics, kind)
    assert is_kept == stores_tuples(characteristics) or kind not in ("times", "ranks")
    assert is_kept or kind != "tuples"
    assert not is_kept or kind not in ("begins", "arrivals")
