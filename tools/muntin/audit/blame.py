"""The windows that a rule does not explain, each with a hint: what the job may have done.

The denotation decides on the rows around each window; if it says what the job says, the window is
not blamed, and the fast operator was wrong.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Literal

from muntin.audit.job import Comparison, Job, KeyedBounds, SpecifiedWindows
from muntin.audit.rule import Rule
from muntin.audit.unit_text import time_text
from muntin.audit.window_cut import Bounds, RowIndex, WindowCut, smallest_trace
from muntin.conformance.transcript.model import OperatorTranscript

BlameKind = Literal["different", "missing", "unspecified", "repeated"]
MAX_ROWS = 400
"""How many rows a cut has at most for hints about one of them."""
MAX_BLAMES = 1000
"""For how many windows the rows are looked at; more are counted."""


@dataclass(frozen=True)
class Blame:
    """A window that no rule explains: its values, and a hint.

    `is_denoted` says that the denotation gives the specified value; else the rows are too many.
    """

    kind: BlameKind
    window: KeyedBounds
    specified: object
    emitted: object
    hint: str
    is_denoted: bool


@dataclass(frozen=True)
class BlameList:
    """The blamed windows, how many more there are, and how many the denotation has acquitted."""

    blames: Sequence[Blame]
    more: int
    corrected: int


@dataclass(frozen=True)
class Suspect:
    """A window on which a job and a rule differ, before its rows were looked at."""

    kind: BlameKind
    window: KeyedBounds
    specified: object = None
    emitted: object = None
    tolerance: float = 0.0


class Blamer:
    """Looks at the rows around each window on which a job and its rule differ."""

    def __init__(self, job: Job, rule: Rule, suspects: Sequence[Suspect]) -> None:
        """Take the windows that differ."""
        self._job, self._rule, self._index = job, rule, RowIndex(job)
        self._suspects = suspects
        self._missing = windows_of_kind(suspects, "missing")
        self._unspecified = windows_of_kind(suspects, "unspecified")

    def blames(self, tick: Callable[[], None]) -> BlameList:
        """Blame each of the first windows, unless the denotation says what the job says."""
        blames, corrected = list[Blame](), 0
        for suspect in islice(self._suspects, MAX_BLAMES):
            blame = self._blame(suspect)
            tick()
            if blame:
                blames.append(blame)
            else:
                corrected += 1
        return BlameList(blames, max(0, len(self._suspects) - MAX_BLAMES), corrected)

    def cut(self, window: KeyedBounds) -> WindowCut:
        """The rows around a window."""
        return self._index.cut(self._rule, window)

    def smallest_trace(self, window: KeyedBounds) -> OperatorTranscript:
        """The trace of the rows around a window that have an effect on it."""
        return smallest_trace(self.cut(window), Bounds(window.start, window.end))

    def _blame(self, suspect: Suspect) -> Blame | None:
        window, specified = suspect.window, suspect.specified
        bounds, cut = Bounds(window.start, window.end), self.cut(window)
        is_denoted = cut.is_small
        if is_denoted:
            places = cut.contents().get(bounds)
            specified = None if places is None else cut.value(places)
            if suspect.kind != "repeated" and is_same(specified, suspect):
                return None
        else:
            places = [
                p for p, t in enumerate(cut.rows.time.tolist()) if bounds.start <= t < bounds.end
            ]
        if suspect.kind == "repeated":
            hint = "emitted again with the same value"
        elif specified is None or suspect.emitted is None:
            hint = self._misplacement(suspect, cut)
        else:
            hint = value_hint(cut, bounds, places or [], suspect)
        return Blame(suspect.kind, window, specified, suspect.emitted, hint, is_denoted)

    def _misplacement(self, suspect: Suspect, cut: WindowCut) -> str:
        """Why a window may be missing, or be there."""
        window, is_missing = suspect.window, suspect.kind == "missing"
        others = self._unspecified if is_missing else self._missing
        twin = [
            other
            for other in others.at(window.start, window.end)
            if others.values[other] == (suspect.specified if is_missing else suspect.emitted)
        ]
        if twin:
            key = self._job.keys[twin[0].key]
            return (
                f"the same window is {'emitted' if is_missing else 'specified'} for {key_text(key)}"
            )
        parts = others.within(window)
        if len(parts) > 1:
            texts = ", ".join(self._bounds_text(part) for part in parts[:3])
            return f"it is {len(parts)} windows {'of the job' if is_missing else 'here'}: {texts}"
        for other in [*parts, *others.around(window)][:1]:
            return f"its rows are in {self._bounds_text(other)}"
        if is_missing:
            return "not emitted"
        times = cut.rows.time.tolist()
        inside = sum(window.start <= time < window.end for time in times)
        return "all of its rows are late" if inside else "no row lies in it"

    def _bounds_text(self, window: KeyedBounds) -> str:
        start, end = (time_text(time, self._job.unit) for time in (window.start, window.end))
        return f"[{start}, {end})"


class WindowsOfKind:
    """The windows of one kind, to be found by their bounds or by their key."""

    def __init__(self, values: Mapping[KeyedBounds, object]) -> None:
        """Take the windows with their values."""
        self.values = values
        self._by_bounds = dict[Bounds, list[KeyedBounds]]()
        self._by_key = dict[int, list[KeyedBounds]]()
        for window in sorted(values):
            self._by_bounds.setdefault(Bounds(window.start, window.end), []).append(window)
            self._by_key.setdefault(window.key, []).append(window)

    def at(self, start: int, end: int) -> Sequence[KeyedBounds]:
        """The windows with these bounds."""
        return self._by_bounds.get(Bounds(start, end), [])

    def within(self, window: KeyedBounds) -> Sequence[KeyedBounds]:
        """The windows of a key that lie within one."""
        near = self._by_key.get(window.key, [])
        return [w for w in near if window.start <= w.start and w.end <= window.end]

    def around(self, window: KeyedBounds) -> Sequence[KeyedBounds]:
        """The windows of a key within which one lies."""
        near = self._by_key.get(window.key, [])
        return [w for w in near if w.start <= window.start and window.end <= w.end]


def windows_of_kind(suspects: Sequence[Suspect], kind: BlameKind) -> WindowsOfKind:
    """The windows of a kind by their bounds, each with its value."""
    return WindowsOfKind(
        {
            s.window: s.emitted if s.specified is None else s.specified
            for s in suspects
            if s.kind == kind
        }
    )


def suspects_of(job: Job, specified: SpecifiedWindows, comparison: Comparison) -> Iterator[Suspect]:
    """The windows on which a job and a rule differ: by value, missing, unspecified, repeated."""
    wrong = ~comparison.agrees
    left, right = comparison.specified[wrong], comparison.emitted[wrong]
    table = specified.picked(left)
    values = zip(
        table.windows.bounds(),
        table.windows.value.tolist(),
        job.emitted.value[right].tolist(),
        table.tolerance.tolist(),
        strict=True,
    )
    yield from (Suspect("different", *fields) for fields in values)
    missing = specified.windows.picked(comparison.missing)
    for window, value in zip(missing.bounds(), missing.value.tolist(), strict=True):
        yield Suspect("missing", window, value)
    unspecified = job.emitted.picked(comparison.unspecified)
    for window, value in zip(unspecified.bounds(), unspecified.value.tolist(), strict=True):
        yield Suspect("unspecified", window, None, value)
    repeated = job.emitted.picked(job.repeated)
    for window, value in zip(repeated.bounds(), repeated.value.tolist(), strict=True):
        yield Suspect("repeated", window, value, value)


def is_same(specified: object, suspect: Suspect) -> bool:
    """Whether a specified value is that of the job."""
    emitted = suspect.emitted
    if isinstance(specified, int | float) and isinstance(emitted, int | float):
        return abs(specified - emitted) <= suspect.tolerance or specified == emitted
    return specified is None and emitted is None


def value_hint(cut: WindowCut, bounds: Bounds, places: Sequence[int], suspect: Suspect) -> str:
    """What would give the value of the job: rows left out, counted twice, or taken from others."""

    def gives(rows: Sequence[int]) -> bool:
        return is_same(cut.value(rows) if rows else 0, suspect)

    if places and gives([*places, *places]):
        return "as if each row were counted twice"
    if cut.rows.time.size > MAX_ROWS:
        return "no hint: it has too many rows"
    for text, candidates, rows_with in hints(cut, bounds, places):
        fitting = [row for row in candidates if gives(rows_with(row))]
        if fitting:
            rows = cut.row_text(fitting[0]) if len(fitting) == 1 else "one of its rows"
            if len(fitting) > 1 and len(fitting) < len(candidates):
                rows = f"one of {len(fitting)} rows, such as {cut.row_text(fitting[0])},"
            return text.format(rows)
    late = [p for p in late_places(cut, bounds) if p not in places]
    if late and gives([*places, *late]):
        return f"as if its {len(late)} late rows were on time: the clock of the job was behind"
    for count in range(1, len(places)):
        by_arrival = sorted(places)
        if gives(by_arrival[:-count]):
            return f"as if it were emitted before its last {count} rows came"
    return "no hint"


Hint = tuple[str, Sequence[int], Callable[[int], Sequence[int]]]


def hints(cut: WindowCut, bounds: Bounds, places: Sequence[int]) -> Iterator[Hint]:
    """Sentences about one row, the rows it may be about, and what the window would hold then."""
    yield "as if {} were left out", places, lambda row: [p for p in places if p != row]
    yield "as if {} were counted twice", places, lambda row: [*places, row]
    late = [p for p in late_places(cut, bounds) if p not in places]
    yield "as if {} were not late", late, lambda row: [*places, row]
    others = [p for p in range(cut.rows.time.size) if p not in places and p not in late]
    yield "as if {}, which lies outside, were in it", others, lambda row: [*places, row]


def late_places(cut: WindowCut, bounds: Bounds) -> list[int]:
    """The places of the rows whose times lie in a window."""
    times = cut.rows.time.tolist()
    return [place for place, time in enumerate(times) if bounds.start <= time < bounds.end]


def key_text(key: str | None) -> str:
    """A key in a sentence."""
    return "no key" if key is None else f"key {key}"
