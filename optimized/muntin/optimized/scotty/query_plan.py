"""How a query is served, by the decision trees of [Traub20], and what is said of that in words."""

from collections.abc import Hashable
from dataclasses import dataclass

from muntin.optimized.in_order.discretizer import (
    unknown_window,
    unsupported_settings,
    unsupported_window,
)
from muntin.optimized.scotty.opaque_windows import SUFFIX_CLOSED
from muntin.optimized.scotty.schedules.fixed import schedule_for
from muntin.optimized.scotty.workload import (
    Characteristics,
    Removal,
    SliceKind,
    characteristics,
    keeps_tuples,
    removal,
    splits,
    stores_tuples,
)
from muntin.spec.query import Query, Settings
from muntin.spec.stream import END
from muntin.spec.windows.measure import COUNT, TIME
from muntin.spec.windows.periodic import Sliding
from muntin.spec.windows.window import Context

IN_ORDER: Hashable = "in order"
"""The scope of queries over an ordered stream: slices begin where windows do, and only there."""

CONTEXTS: dict[Context, str] = {
    "CF": "context free",
    "FCF": "forward context free",
    "FCA": "forward context aware",
}


@dataclass(frozen=True)
class ScottyPlan:
    """What the decision trees say of a query, and with which others it may share slices."""

    of: Characteristics
    in_ranks: bool  # whether slices lie between rank edges, and tuples are shifted
    in_tuples: bool  # whether slices hold their tuples, since these make or move the edges
    by_arrival: bool
    scope: Hashable

    @property
    def in_order(self) -> bool:
        """Whether slices are cut as the events come, at the begins of windows that they make."""
        return self.scope == IN_ORDER

    @property
    def place(self) -> SliceKind:
        """Where slices lie."""
        if self.in_ranks:
            return "arrivals" if self.by_arrival else "ranks"
        slices: SliceKind = "begins" if self.in_order else "times"
        return "tuples" if self.in_tuples else slices

    @property
    def stored(self) -> bool:
        """Whether tuples are kept."""
        return keeps_tuples(self.of, self.place)

    @property
    def removal(self) -> Removal:
        """How tuples are taken out of slices (Figure 6)."""
        return "none" if self.in_ranks and self.by_arrival else removal(self.of)

    def lines(self, query: Query, settings: Settings) -> list[str]:
        """Say it in words."""
        of = self.of
        kind = "a session" if of.session else CONTEXTS[of.context]
        facts = [
            "in order" if of.in_order else "out of order",
            f"{query.window.name} in {query.window.measure.name}, {kind}",
            f"{query.aggregate.name}, {query.aggregate.kind}",
            "commutative" if of.commutative else "not commutative",
            "invertible" if of.invertible else "not invertible",
        ]
        kept = "tuples are stored" if self.stored else "tuples are not stored"
        why = deviation_from_figure_4(self, query, settings)
        split = "are split where tuples move edges" if splits(of) else "are never split"
        how = {
            "none": "no tuple is ever removed from a slice",
            "invert": "a tuple is removed from a slice by invert",
            "recompute": "a tuple is removed from a slice by computing the slice anew",
        }
        tuples = f"{kept}: {why}" if why else kept
        return ["; ".join(facts), tuples, f"slices {split}", how[self.removal]]


def deviation_from_figure_4(how: ScottyPlan, query: Query, settings: Settings) -> str | None:
    """Say why tuples are kept though Figure 4 does not ask for it, or the reverse, if so."""
    kind, measure = query.window, query.window.measure
    if how.stored == stores_tuples(how.of):
        return None
    if not how.stored:
        return "ranks in order of arrival never move"
    if settings.in_order:
        return (
            unsupported_settings(settings)
            or unsupported_window(kind, settings)
            or unknown_window(kind)
        )
    if measure in (TIME, COUNT):
        return f"nothing is known beforehand of where {kind.name} windows begin and end"
    return f"only its neighbours in event order tell whether {measure.name} falls at a late event"


def strategy(
    query: Query, settings: Settings, since: float, letters: tuple[object, ...]
) -> ScottyPlan:
    """Derive how to serve a query.

    A tuple alone tells its slice unless slices split (Figure 5), or edges lie in another measure
    than time.
    """
    of, dialect = characteristics(query, settings, letters), settings.dialect
    known = of.session or schedule_for(query.window, dialect, -END) is not None
    ranks = in_ranks(query, settings)
    if not (splits(of) or ranks) and cut_in_order(query, settings):
        return ScottyPlan(of, in_ranks=False, in_tuples=False, by_arrival=False, scope=IN_ORDER)
    in_tuples = splits(of) or not (known or ranks)
    by_arrival = of.count_measure and dialect.count_order == "arrival"
    by_window = dialect.lateness == "window" and (in_tuples or ranks or of.session)
    apart = by_window or (in_tuples and not isinstance(query.window, SUFFIX_CLOSED))
    alone = query.id if apart else None
    if in_tuples or ranks:
        scope: Hashable = (alone, since, ranks, by_arrival, of.commutative, removal(of))
    else:
        scope = (alone, stores_tuples(of), of.commutative)
    return ScottyPlan(of, ranks, in_tuples, by_arrival, scope)


def cut_in_order(query: Query, settings: Settings) -> bool:
    """Whether the events of an ordered stream tell where slices begin [Carbone16]."""
    kind = query.window
    return not (
        unsupported_settings(settings) or unsupported_window(kind, settings) or unknown_window(kind)
    )


def in_ranks(query: Query, settings: Settings) -> bool:
    """Whether a query counts, so that its windows end at known ranks and are never retracted.

    By window, an event may be accepted that lets a window settle in the past, which is retracted.
    Where a dialect truncates, windows have ranks below their offset.
    """
    kind, dialect = query.window, settings.dialect
    if not isinstance(kind, Sliding) or kind.measure is not COUNT:
        return False
    truncated = dialect.alignment == "truncate" and kind.offset > 0
    moves = not settings.in_order and dialect.count_order == "time"
    return not truncated and not (moves and dialect.lateness == "window")
