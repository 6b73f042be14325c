"""Which tracker serves a window type, and which types are not supported over ordered streams."""

from collections.abc import Callable
from functools import partial
from typing import TypeVar

from muntin.optimized.common.decisions import unsupported_decision
from muntin.optimized.common.window_traits import traits_of
from muntin.optimized.in_order.trackers.base import TrackerConfig, WindowTracker
from muntin.optimized.in_order.trackers.frames import (
    DeltaTracker,
    PunctuationTracker,
    StateTracker,
    ThresholdTracker,
    UserWindowTracker,
)
from muntin.optimized.in_order.trackers.periodic import (
    BandTracker,
    CumulateTracker,
    LandmarkTracker,
    SessionTracker,
    SlidingTracker,
)
from muntin.optimized.in_order.trackers.record_level import (
    LastNEveryTracker,
    RollingTracker,
    TriggerTracker,
)
from muntin.spec.query import Settings
from muntin.spec.windows.data_driven import LastNEvery, Punctuation, Rolling, Session
from muntin.spec.windows.frames import Delta, State, Threshold
from muntin.spec.windows.measure import COUNT, TIME
from muntin.spec.windows.periodic import Band, Cumulate, Landmark, Sliding
from muntin.spec.windows.user_defined import UserTrigger, UserWindow
from muntin.spec.windows.window import WindowType

W = TypeVar("W", bound=WindowType)
TrackerFactory = Callable[[TrackerConfig], WindowTracker]


def _factory_for(
    served: type[W], make: Callable[[W, TrackerConfig], WindowTracker]
) -> Callable[[WindowType], TrackerFactory | None]:
    """What makes trackers for windows of this very type, and of no subclass."""

    def factory(kind: WindowType) -> TrackerFactory | None:
        is_served = type(kind) is served
        return partial(make, kind) if is_served and isinstance(kind, served) else None

    return factory


TRACKER_FACTORIES = [
    _factory_for(Sliding, SlidingTracker),
    _factory_for(Landmark, LandmarkTracker),
    _factory_for(Cumulate, CumulateTracker),
    _factory_for(Band, BandTracker),
    _factory_for(Session, SessionTracker),
    _factory_for(Punctuation, PunctuationTracker),
    _factory_for(Delta, DeltaTracker),
    _factory_for(State, StateTracker),
    _factory_for(Threshold, ThresholdTracker),
    _factory_for(UserWindow, UserWindowTracker),
    _factory_for(Rolling, RollingTracker),
    _factory_for(LastNEvery, LastNEveryTracker),
    _factory_for(UserTrigger, TriggerTracker),
]
"""The tracker of each window type. A new type needs a tracker, and one line here."""


def tracker_for(config: TrackerConfig) -> WindowTracker:
    """A tracker for a query and key, whose window type is supported."""
    factories = (factory(config.query.window) for factory in TRACKER_FACTORIES)
    return next(make(config) for make in factories if make)


def unknown_window(kind: WindowType) -> str | None:
    """Why a window type is not supported, if it has no tracker."""
    if any(factory(kind) for factory in TRACKER_FACTORIES):
        return None
    return f"slicing does not know the windows {kind}; give them a tracker"


def unsupported_settings(settings: Settings) -> str | None:
    """Why slicing in order does not support these settings, if so."""
    dialect = settings.dialect
    if not settings.in_order:
        return "slicing in order needs a stream that is declared in order (in_order: true)"
    if dialect.lateness != "event":
        return f"slicing in order supports lateness by event, not {dialect.lateness!r}"
    if dialect.late_update != "immediate":
        return f"slicing in order emits late updates at once, not {dialect.late_update!r}"
    return None


def unsupported_window(kind: WindowType, settings: Settings) -> str | None:
    """Why slicing in order does not support a window type, if so."""
    dialect, where = settings.dialect, f"{kind.name} windows of {kind.measure.name}"
    if traits_of(kind).period and dialect.alignment == "truncate":
        return f"slicing aligns {where} by floor division only (alignment: truncate)"
    if isinstance(kind, Rolling) and dialect.ties == "rows" and kind.measure not in (TIME, COUNT):
        return f"slicing cannot determine when a row of {where} is final (ties: rows)"
    if isinstance(kind, Rolling) and dialect.rows == "event":
        return f"slicing has one window for the events of an instant, in {where} (rows: event)"
    return unsupported_decision(kind, dialect)


def unsupported_unless_periodic(kind: WindowType, settings: Settings) -> str | None:
    """Why Panes and Pairs do not support a window type, if so."""
    if not isinstance(kind, Sliding) or kind.measure is not TIME:
        return f"panes and pairs need periodic windows of time, not {kind.name} ones"
    if settings.dialect.edges != "left":
        return f"panes and pairs cut in [a, b) only (edges: {settings.dialect.edges})"
    return unsupported_window(kind, settings)
