"""Which track serves a window type, and which cannot be served over ordered streams."""

from collections.abc import Callable
from typing import TypeVar

from muntin.optimized.slicing.grouped_track import (
    DeltaTrack,
    PunctuationTrack,
    StateTrack,
    ThresholdTrack,
    UserTrack,
)
from muntin.optimized.slicing.periodic_track import (
    BandTrack,
    CumulateTrack,
    LandmarkTrack,
    SlidingTrack,
)
from muntin.optimized.slicing.record_track import LastNEveryTrack, RollingTrack, TriggerTrack
from muntin.optimized.slicing.session_track import SessionTrack
from muntin.optimized.slicing.track import Request, Track
from muntin.spec.data_driven import LastNEvery, Punctuation, Rolling, Session
from muntin.spec.frames import Delta, State, Threshold
from muntin.spec.measure import COUNT, TIME
from muntin.spec.periodic import Band, Cumulate, Landmark, Sliding
from muntin.spec.query import Settings
from muntin.spec.user_defined import UserTrigger, UserWindow
from muntin.spec.window import WindowType

W = TypeVar("W", bound=WindowType)
Make = Callable[[Request], Track]


def state_track(_: State, request: Request) -> Track:
    """Return the track of a state query, which has no parameter."""
    return StateTrack(request)


def _making(kind: type[W], make: Callable[[W, Request], Track]) -> tuple[type[WindowType], Make]:
    def made(request: Request) -> Track:
        window = request.query.window
        if not isinstance(window, kind):
            raise TypeError(f"{window} is no {kind.__name__}")
        return make(window, request)

    return kind, made


TRACKS: dict[type[WindowType], Make] = dict(
    [
        _making(Sliding, SlidingTrack),
        _making(Landmark, LandmarkTrack),
        _making(Cumulate, CumulateTrack),
        _making(Band, BandTrack),
        _making(Session, SessionTrack),
        _making(Punctuation, PunctuationTrack),
        _making(Delta, DeltaTrack),
        _making(State, state_track),
        _making(Threshold, ThresholdTrack),
        _making(UserWindow, UserTrack),
        _making(Rolling, RollingTrack),
        _making(LastNEvery, LastNEveryTrack),
        _making(UserTrigger, TriggerTrack),
    ]
)
"""The track of each window type. A new type needs a track, and one line here."""


def refuses_settings(settings: Settings) -> str | None:
    """Say why slicing in order cannot serve a run, if it cannot."""
    dialect = settings.dialect
    if not settings.in_order:
        return "slicing in order needs a stream that is declared in order (in_order: true)"
    if dialect.lateness != "event":
        return f"slicing in order judges lateness by event, not {dialect.lateness!r}"
    if dialect.late_update != "immediate":
        return f"slicing in order tells late updates at once, not {dialect.late_update!r}"
    return None


def refuses_window(kind: WindowType, settings: Settings) -> str | None:
    """Say why a window type cannot be served, if it cannot."""
    dialect, where = settings.dialect, f"{kind.name} windows of {kind.measure.name}"
    if type(kind) not in TRACKS:
        return f"slicing does not know the windows {kind}; give them a track"
    if isinstance(kind, Sliding | Cumulate) and dialect.alignment == "truncate":
        return f"slicing aligns {where} by floor division only (alignment: truncate)"
    if isinstance(kind, Rolling) and dialect.ties == "rows" and kind.measure not in (TIME, COUNT):
        return f"slicing cannot tell when a row of {where} is over (ties: rows)"
    if isinstance(kind, UserTrigger) and kind.measure is not COUNT:
        return f"slicing evicts by rank, so it cannot serve {where}"
    return None


def refuses_unless_periodic(kind: WindowType, settings: Settings) -> str | None:
    """Say why Panes and Pairs cannot serve a window type, if they cannot."""
    if not isinstance(kind, Sliding) or kind.measure is not TIME:
        return f"panes and pairs need periodic windows of time, not {kind.name} ones"
    if settings.dialect.edges != "left":
        return f"panes and pairs cut in [a, b) only (edges: {settings.dialect.edges})"
    return refuses_window(kind, settings)


def track_of(request: Request) -> Track:
    """Return an empty track for a query that was not refused."""
    return TRACKS[type(request.query.window)](request)
