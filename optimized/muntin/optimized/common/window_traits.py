"""One table of window types: what operators may rely on of each, one row a type.

A row is for exactly one class. What holds of a class, such as where its edges lie, need not hold of
one derived from it, so a type without a row is opaque: only its own methods are relied on. Which
algorithm serves a type (its tracker, schedule, eviction rule or view) is said where that is.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple, TypeVar

from muntin.spec.stream import END
from muntin.spec.windows.data_driven import LastNEvery, Punctuation, Rolling, Session
from muntin.spec.windows.frames import Delta, State, Threshold
from muntin.spec.windows.measure import COUNT, TIME
from muntin.spec.windows.periodic import Band, Cumulate, Landmark, Sliding
from muntin.spec.windows.user_defined import UserTrigger, UserWindow
from muntin.spec.windows.window import WindowType

W = TypeVar("W", bound=WindowType)

VALUE, GAP, MARK = "value", "gap", "mark"
NOTHING, EVERYTHING = frozenset[str](), frozenset({VALUE, GAP, MARK})


class SliceEdges(NamedTuple):
    """Where slices in time begin, so that no window begins or ends within one."""

    periods: frozenset[tuple[int, int]] = frozenset()
    """Pairs of a period and a phase: phase + period * Z."""
    single: frozenset[int] = frozenset()
    gap: float = END
    """How long a slice may be at most."""


@dataclass(frozen=True)
class WindowTraits:
    """The facts about a window type with its parameters. The defaults promise nothing.

    Edges, ends and slices are those of windows in time, in the default dialect.
    """

    inputs: frozenset[str] = EVERYTHING
    """What windows depend on of events, besides their times."""
    needs_numbers: bool = False
    """Whether values must be numbers."""
    edges_known: bool = False
    """Whether edges follow from the parameters: no event moves a window or takes it away."""
    is_unbounded: bool = False
    """Whether windows to come reach back however far."""
    has_one_start: bool = False
    """Whether all windows start at one time."""
    starts_at_rank: bool = False
    """Whether starts are ranks, though ends are times."""
    is_suffix_closed: bool = False
    """Whether any suffix of the events that holds what windows need gives the right windows."""
    is_rank_free: bool = False
    """Whether nothing is needed of evicted events, not even their number."""
    lengths: Mapping[str, int] = field(default_factory=dict[str, int])
    """Parameters from which starts and ends are computed, at any distance from 0."""
    counts: Mapping[str, int] = field(default_factory=dict[str, int])
    """Parameters that only select events."""
    positions: Mapping[str, int] = field(default_factory=dict[str, int])
    """Parameters that are coordinates."""
    period: int = 0
    """The distance of the starts that a dialect aligns; 0 if it aligns none."""
    slice_edges: SliceEdges | None = None
    """The slices that serve the type; None if it needs the events."""
    next_end: Callable[[int], float] | None = None
    """After a time, another before which no window ends."""
    last_end: Callable[[int], float | None] | None = None
    """The end of the last window that holds a time, if there is one."""
    all_ended: Callable[[int], float] | None = None
    """A time at which all windows of events up to another have ended."""


OPAQUE = WindowTraits()

Row = Callable[[WindowType], WindowTraits]


def row(served: type[W], traits: Callable[[W], WindowTraits]) -> tuple[type[WindowType], Row]:
    """A type and its traits, as an item of the table."""

    def traits_if_served(kind: WindowType) -> WindowTraits:
        return traits(kind) if isinstance(kind, served) else OPAQUE

    return served, traits_if_served


def _sliding(kind: Sliding) -> WindowTraits:
    size, slide, offset = kind.size, kind.slide, kind.offset

    def last_end(time: int) -> float | None:
        end = time - (time - offset) % slide + size
        return end if time < end else None

    return WindowTraits(
        inputs=NOTHING,
        edges_known=True,
        is_suffix_closed=True,
        lengths={"size": size, "slide": slide, "offset": offset},
        period=slide,
        slice_edges=SliceEdges(frozenset((slide, at % slide) for at in (offset, offset + size))),
        next_end=lambda after: after + 1 + (offset + size - after - 1) % slide,
        last_end=last_end,
        all_ended=lambda last: last + size,
    )


def _cumulate(kind: Cumulate) -> WindowTraits:
    size, step, offset = kind.size, kind.step, kind.offset
    return WindowTraits(
        inputs=NOTHING,
        edges_known=True,
        is_suffix_closed=True,
        lengths={"size": size, "step": step, "offset": offset},
        period=size,
        slice_edges=SliceEdges(frozenset({(step, offset % step)})),
        next_end=lambda after: after + 1 + (offset - after - 1) % step,
        last_end=lambda time: time - (time - offset) % size + size,
        all_ended=lambda last: last + size,
    )


def _landmark(kind: Landmark) -> WindowTraits:
    at, every = kind.at, kind.every
    return WindowTraits(
        inputs=NOTHING,
        edges_known=True,
        is_unbounded=True,
        has_one_start=True,
        is_suffix_closed=True,
        lengths={"every": every},
        positions={"at": at},
        slice_edges=SliceEdges(frozenset({(every, at % every)}), frozenset({at})),
        next_end=lambda after: after + 1 + (at - after - 1) % every,
        last_end=lambda time: END if time >= at else None,
    )


def _band(kind: Band) -> WindowTraits:
    start, end = kind.start, kind.end
    return WindowTraits(
        inputs=NOTHING,
        edges_known=True,
        has_one_start=True,
        is_suffix_closed=True,
        positions={"start": start, "end": end},
        slice_edges=SliceEdges(single=frozenset({start, end})),
        next_end=lambda after: end if end > after else END,
        last_end=lambda time: end if start <= time < end else None,
        all_ended=lambda last: max(last, end),
    )


def _rolling(kind: Rolling) -> WindowTraits:
    size, with_each = kind.size, kind.every == 1
    return WindowTraits(
        inputs=NOTHING,
        is_suffix_closed=True,
        is_rank_free=with_each,
        lengths={"size": size},
        counts={"every": kind.every},
        all_ended=(lambda last: last + size) if with_each else None,
    )


def _last_n_every(kind: LastNEvery) -> WindowTraits:
    return WindowTraits(
        inputs=NOTHING,
        starts_at_rank=True,
        is_suffix_closed=True,
        lengths={"every": kind.every},
        counts={"n": kind.n},
    )


def _session(kind: Session) -> WindowTraits:
    """An event's own gap counts as well."""
    return WindowTraits(
        inputs=frozenset({GAP}),
        is_rank_free=True,
        lengths={"gap": kind.gap},
        slice_edges=SliceEdges(gap=kind.gap),
        all_ended=lambda last: last + kind.gap,
    )


def _punctuation(kind: Punctuation) -> WindowTraits:
    """A function of the user's may read everything."""
    is_marked = kind.marks is Punctuation().marks
    return WindowTraits(inputs=frozenset({MARK}) if is_marked else EVERYTHING, is_rank_free=True)


def _number_frame(_: Delta | Threshold) -> WindowTraits:
    return WindowTraits(inputs=frozenset({VALUE}), needs_numbers=True, is_rank_free=True)


def _state(_: State) -> WindowTraits:
    return WindowTraits(inputs=frozenset({VALUE}), is_rank_free=True)


def _user_defined(_: UserWindow | UserTrigger) -> WindowTraits:
    return OPAQUE


TABLE: dict[type[WindowType], Row] = dict(
    [
        row(Sliding, _sliding),
        row(Cumulate, _cumulate),
        row(Landmark, _landmark),
        row(Band, _band),
        row(Rolling, _rolling),
        row(LastNEvery, _last_n_every),
        row(Session, _session),
        row(Punctuation, _punctuation),
        row(Delta, _number_frame),
        row(Threshold, _number_frame),
        row(State, _state),
        row(UserWindow, _user_defined),
        row(UserTrigger, _user_defined),
    ]
)
"""The rows. No type of one derives from that of another."""


def has_row(kind: WindowType) -> bool:
    """Whether a window is of exactly a type that the table has."""
    return type(kind) in TABLE


def base_in_table(kind: WindowType) -> type[WindowType] | None:
    """The class in the table that a window is of, or derives from."""
    return next((base for base in type(kind).__mro__ if base in TABLE), None)


def traits_of(kind: WindowType) -> WindowTraits:
    """What may be relied on of a window type.

    >>> from muntin.spec.windows.periodic import tumbling
    >>> traits_of(tumbling(10)).edges_known, traits_of(Session(10)).edges_known
    (True, False)
    """
    traits = TABLE.get(type(kind))
    return traits(kind) if traits else OPAQUE


def inherited_traits(kind: WindowType) -> WindowTraits:
    """The traits of the class in the table that a window is of, or derives from."""
    base = base_in_table(kind)
    return TABLE[base](kind) if base else OPAQUE


def inputs_of(kind: WindowType) -> frozenset[str]:
    """What a window type may look at; code of the user's may look at everything.

    >>> sorted(inputs_of(Session(3))), sorted(inputs_of(Punctuation(lambda event: True)))
    (['gap'], ['gap', 'mark', 'value'])
    """
    is_builtin_measure = kind.measure is TIME or kind.measure is COUNT
    return traits_of(kind).inputs if is_builtin_measure else EVERYTHING


def inputs_of_all(kinds: Iterable[WindowType]) -> frozenset[str]:
    """What some window may look at."""
    return frozenset[str]().union(*map(inputs_of, kinds))
