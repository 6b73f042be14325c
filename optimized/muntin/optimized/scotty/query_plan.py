"""How a query is served by the decision trees of [Traub20], and that explained in words."""

from collections.abc import Hashable
from dataclasses import dataclass

from muntin.optimized.common.window_traits import traits_of
from muntin.optimized.in_order.discretizer import (
    unknown_window,
    unsupported_settings,
    unsupported_window,
)
from muntin.optimized.scotty import workload
from muntin.optimized.scotty.schedules.fixed_schedules import schedule_for
from muntin.spec.query import Query, Settings
from muntin.spec.stream import END
from muntin.spec.windows.measure import COUNT, TIME
from muntin.spec.windows.periodic import Sliding
from muntin.spec.windows.window import Context, WindowType

IN_ORDER_SCOPE: Hashable = "in order"
"""The scope of queries over an ordered stream: slices begin where windows do, and only there."""

CONTEXT_NAMES: dict[Context, str] = {
    "CF": "context free",
    "FCF": "forward context free",
    "FCA": "forward context aware",
}


@dataclass(frozen=True)
class ScottyPlan:
    """The decisions for a query, and with which other queries it may share slices."""

    characteristics: workload.Characteristics
    scope: Hashable
    slices_by_rank: bool = False  # slices lie between rank edges, and tuples are shifted
    slices_hold_tuples: bool = False  # slices hold their tuples, which make or move edges
    by_arrival: bool = False

    @property
    def in_order(self) -> bool:
        """Whether slices are cut as events come, at the starts of windows that they make."""
        return self.scope == IN_ORDER_SCOPE

    @property
    def slice_kind(self) -> workload.SliceKind:
        """What slices lie between."""
        if self.slices_by_rank:
            return "arrivals" if self.by_arrival else "ranks"
        slices: workload.SliceKind = "begins" if self.in_order else "times"
        return "tuples" if self.slices_hold_tuples else slices

    @property
    def tuples_stored(self) -> bool:
        """Whether tuples are stored."""
        return workload.keeps_tuples(self.characteristics, self.slice_kind)

    @property
    def removal(self) -> workload.Removal:
        """How tuples are removed from slices (Figure 6)."""
        stays = self.slices_by_rank and self.by_arrival
        return "none" if stays else workload.removal(self.characteristics)

    def explanation(self, query: Query, settings: Settings) -> list[str]:
        """The lines of `Scotty.explain` about a query."""
        traits = self.characteristics
        window_class = "a session" if traits.session else CONTEXT_NAMES[traits.context]
        facts = [
            "in order" if traits.in_order else "out of order",
            f"{query.window.name} in {query.window.measure.name}, {window_class}",
            f"{query.aggregate.name}, {query.aggregate.kind}",
            "commutative" if traits.commutative else "not commutative",
            "invertible" if traits.invertible else "not invertible",
        ]
        storage = "tuples are stored" if self.tuples_stored else "tuples are not stored"
        reason = deviation_from_figure_4(self, query, settings)
        moves = workload.splits(traits)
        split = "are split where tuples move edges" if moves else "are never split"
        removals = {
            "none": "no tuple is ever removed from a slice",
            "invert": "a tuple is removed from a slice by invert",
            "recompute": "a tuple is removed from a slice by computing the slice anew",
        }
        tuples = f"{storage}: {reason}" if reason else storage
        return ["; ".join(facts), tuples, f"slices {split}", removals[self.removal]]


def deviation_from_figure_4(plan: ScottyPlan, query: Query, settings: Settings) -> str | None:
    """Why tuples are stored though Figure 4 does not require it, or the reverse.

    None where the plan follows the figure.
    """
    window, measure = query.window, query.window.measure
    if plan.tuples_stored == workload.stores_tuples(plan.characteristics):
        return None
    if not plan.tuples_stored:
        return "ranks in order of arrival never move"
    if settings.in_order:
        return unsupported_in_order(window, settings)
    if measure in (TIME, COUNT):
        return f"nothing is known beforehand of where {window.name} windows begin and end"
    return f"only the neighbours of a late event determine whether {measure.name} falls there"


def plan_for(
    query: Query, settings: Settings, since: float, letters: tuple[object, ...]
) -> ScottyPlan:
    """Derive how to serve a query.

    The time of a tuple alone determines its slice unless slices split (Figure 5), or edges lie in
    another measure than time.
    """
    traits, dialect = workload.characteristics(query, settings, letters), settings.dialect
    edges_known = traits.session or schedule_for(query.window, dialect, -END) is not None
    by_rank, may_split = has_rank_slices(query, settings), workload.splits(traits)
    if not (may_split or by_rank) and not unsupported_in_order(query.window, settings):
        return ScottyPlan(traits, IN_ORDER_SCOPE)
    hold_tuples = may_split or not (edges_known or by_rank)
    by_arrival = traits.count_measure and dialect.count_order == "arrival"
    by_window = dialect.lateness == "window" and (hold_tuples or by_rank or traits.session)
    is_isolated = by_window or (hold_tuples and not traits_of(query.window).is_suffix_closed)
    owner = query.id if is_isolated else None
    if hold_tuples or by_rank:
        removal = workload.removal(traits)
        scope: Hashable = (owner, since, by_rank, by_arrival, traits.commutative, removal)
    else:
        scope = (owner, workload.stores_tuples(traits), traits.commutative)
    return ScottyPlan(traits, scope, by_rank, hold_tuples, by_arrival)


def unsupported_in_order(window: WindowType, settings: Settings) -> str | None:
    """Why the events of a stream do not determine where slices begin, if so [Carbone16]."""
    reason = unsupported_settings(settings) or unsupported_window(window, settings)
    return reason or unknown_window(window)


def has_rank_slices(query: Query, settings: Settings) -> bool:
    """Whether a query counts, so that its windows end at known ranks and are never retracted.

    By window, an accepted event may make a window final in the past, which is retracted. If a
    dialect truncates, windows have ranks below their offset.
    """
    window, dialect = query.window, settings.dialect
    if not isinstance(window, Sliding) or window.measure is not COUNT:
        return False
    truncated = dialect.alignment == "truncate" and window.offset > 0
    ranks_move = not settings.in_order and dialect.count_order == "time"
    return not truncated and not (ranks_move and dialect.lateness == "window")
