"""Which track serves a window type, and which cannot be served over ordered streams."""

from collections.abc import Callable
from functools import partial
from typing import TypeVar

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
Make = Callable[[TrackerConfig], WindowTracker]


def state_track(_: State, request: TrackerConfig) -> WindowTracker:
    """Return the track of a state query, which has no parameter."""
    return StateTracker(request)


def _serving(
    served: type[W], make: Callable[[W, TrackerConfig], WindowTracker]
) -> Callable[[WindowType], Make | None]:
    """Return what makes tracks for windows of this very type, and of no subclass."""

    def making(kind: WindowType) -> Make | None:
        very = type(kind) is served
        return partial(make, kind) if very and isinstance(kind, served) else None

    return making


TRACKS = [
    _serving(Sliding, SlidingTracker),
    _serving(Landmark, LandmarkTracker),
    _serving(Cumulate, CumulateTracker),
    _serving(Band, BandTracker),
    _serving(Session, SessionTracker),
    _serving(Punctuation, PunctuationTracker),
    _serving(Delta, DeltaTracker),
    _serving(State, state_track),
    _serving(Threshold, ThresholdTracker),
    _serving(UserWindow, UserWindowTracker),
    _serving(Rolling, RollingTracker),
    _serving(LastNEvery, LastNEveryTracker),
    _serving(UserTrigger, TriggerTracker),
]
"""The track of each window type. A new type needs a track, and one line here."""


def track_of(request: TrackerConfig) -> WindowTracker:
    """Return a track for a query and key, of a window type that is not refused."""
    makers = (serving(request.query.window) for serving in TRACKS)
    return next(make(request) for make in makers if make)


def unknown_window(kind: WindowType) -> str | None:
    """Say that there are no tracks for a window type, if there are none."""
    if any(serving(kind) for serving in TRACKS):
        return None
    return f"slicing does not know the windows {kind}; give them a track"


def unsupported_settings(settings: Settings) -> str | None:
    """Say why slicing in order cannot serve a run, if it cannot."""
    dialect = settings.dialect
    if not settings.in_order:
        return "slicing in order needs a stream that is declared in order (in_order: true)"
    if dialect.lateness != "event":
        return f"slicing in order judges lateness by event, not {dialect.lateness!r}"
    if dialect.late_update != "immediate":
        return f"slicing in order tells late updates at once, not {dialect.late_update!r}"
    return None


def unsupported_window(kind: WindowType, settings: Settings) -> str | None:
    """Say why a window type cannot be served, if it cannot."""
    dialect, where = settings.dialect, f"{kind.name} windows of {kind.measure.name}"
    if isinstance(kind, Sliding | Cumulate) and dialect.alignment == "truncate":
        return f"slicing aligns {where} by floor division only (alignment: truncate)"
    if isinstance(kind, Rolling) and dialect.ties == "rows" and kind.measure not in (TIME, COUNT):
        return f"slicing cannot tell when a row of {where} is over (ties: rows)"
    return None


def refuses_unless_periodic(kind: WindowType, settings: Settings) -> str | None:
    """Say why Panes and Pairs cannot serve a window type, if they cannot."""
    if not isinstance(kind, Sliding) or kind.measure is not TIME:
        return f"panes and pairs need periodic windows of time, not {kind.name} ones"
    if settings.dialect.edges != "left":
        return f"panes and pairs cut in [a, b) only (edges: {settings.dialect.edges})"
    return unsupported_window(kind, settings)
