"""Windows whose lengths are durations: `tumbling("1 hour")`, `session(timedelta(minutes=30))`.

A builder of this module takes what that of the same name in `muntin.spec` takes, and durations for
lengths of time, or datetimes for points in time. The call that the windows are for knows the unit
of its times and makes them windows of the specification, whose lengths are integers. Windows that
have no lengths of time, such as `count` or `state`, are those of `muntin.spec`.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from itertools import count as numbers
from typing import TypeAlias

from muntin.columnar.arguments import is_mapping, is_sequence
from muntin.columnar.durations import Length, Position, TimeUnit
from muntin.optimized.common.window_traits import traits_of
from muntin.spec.errors import InvalidInputError
from muntin.spec.windows import data_driven, periodic
from muntin.spec.windows.measure import TIME, Measure
from muntin.spec.windows.window import WindowType

BuildWindow: TypeAlias = Callable[..., WindowType]
EXAMPLE = "[tumbling('10 minutes')]"


@dataclass(frozen=True, repr=False)
class DurationWindow:
    """A window type whose lengths are durations, until a call knows the unit of its times."""

    build: BuildWindow
    lengths: Mapping[str, Length] = field(default_factory=dict[str, Length])
    positions: Mapping[str, Position] = field(default_factory=dict[str, Position])
    counts: Mapping[str, int] = field(default_factory=dict[str, int])

    def __repr__(self) -> str:
        given = {**self.positions, **self.counts, **self.lengths}
        return f"{self.build.__name__}({', '.join(f'{n}={x!r}' for n, x in given.items())})"

    @property
    def measure(self) -> Measure:
        """Operators ask for it first: they take windows whose lengths are integers."""
        raise InvalidInputError(
            f"{self.build.__name__} has durations, which a call on a table reads; the windows of "
            "an operator are those of muntin.spec, with integers in the unit of its times"
        )

    def in_units_of(self, unit: TimeUnit, where: str) -> WindowType:
        """The window type of the specification, with lengths in the unit of a time column."""
        lengths = {n: unit.length(x, f"{where}: {n}") for n, x in self.lengths.items()}
        positions = {n: unit.position(x, f"{where}: {n}") for n, x in self.positions.items()}
        try:
            return self.build(**lengths, **positions, **self.counts)
        except InvalidInputError as error:
            raise InvalidInputError(f"{where}: {error}") from error


TableWindow: TypeAlias = WindowType | DurationWindow
"""A window type as calls take it."""
Windows: TypeAlias = Mapping[str, TableWindow] | Sequence[TableWindow]
"""Window types by id; in a list the id is the name of the type."""


def _window(
    build: BuildWindow,
    lengths: Mapping[str, Length],
    positions: Mapping[str, Position] | None = None,
    counts: Mapping[str, int] | None = None,
) -> TableWindow:
    """A window type of the specification, if all its lengths are integers."""
    window = DurationWindow(build, lengths, positions or {}, counts or {})
    times = [*window.lengths.values(), *window.positions.values()]
    plain = all(type(time) is int for time in times)
    return window.in_units_of(TimeUnit(""), build.__name__) if plain else window


def tumbling(size: Length, offset: Length = 0) -> TableWindow:
    """Windows back to back, as `tumbling("1 day", offset="4 hours")`."""
    return _window(periodic.tumbling, {"size": size, "offset": offset})


def sliding(size: Length, slide: Length, offset: Length = 0) -> TableWindow:
    """Overlapping windows, as `sliding("1 hour", "5 minutes")`."""
    return _window(periodic.sliding, {"size": size, "slide": slide, "offset": offset})


def cumulate(size: Length, step: Length, offset: Length = 0) -> TableWindow:
    """Tumbling windows seen as they grow, as `cumulate("1 day", "1 hour")`."""
    return _window(periodic.cumulate, {"size": size, "step": step, "offset": offset})


def landmark(at: Position, every: Length) -> TableWindow:
    """Windows that grow from one point in time, as `landmark(datetime(2024, 1, 1), "1 day")`."""
    return _window(periodic.landmark, {"every": every}, {"at": at})


def band(start: Position, end: Position) -> TableWindow:
    """One interval between two points in time."""
    return _window(periodic.band, {}, {"start": start, "end": end})


def session(gap: Length) -> TableWindow:
    """Activity without a pause, as `session("30 minutes")`."""
    return _window(data_driven.session, {"gap": gap})


def rolling(size: Length) -> TableWindow:
    """For each row the rows up to it, as `rolling("10 minutes")`."""
    return _window(data_driven.rolling, {"size": size})


def slide_by_tuple(size: Length, every: int) -> TableWindow:
    """With every n-th row the rows up to it, as `slide_by_tuple("10 minutes", 100)`."""
    return _window(data_driven.slide_by_tuple, {"size": size}, counts={"every": every})


def last_n_every(n: int, every: Length) -> TableWindow:
    """Periodically the last n rows, as `last_n_every(100, "1 minute")`."""
    return _window(data_driven.last_n_every, {"every": every}, counts={"n": n})


def parse_windows(windows: object, unit: TimeUnit) -> dict[str, WindowType]:
    """Window types by id, in the unit of the times; further ones of a type in a list are numbered.

    >>> list(parse_windows([tumbling(5), rolling(3), tumbling(10)], TimeUnit("t")))
    ['tumbling', 'rolling', 'tumbling 2']
    """
    parsed: dict[str, WindowType] = {}
    if is_mapping(windows):
        for name, window in windows.items():
            if not isinstance(name, str):
                raise InvalidInputError(f"the name of a window must be a string, not {name!r}")
            parsed[name] = window_in_units(window, unit, f"window {name!r}")
    elif is_sequence(windows):
        for kind in _in_list(windows, unit):
            names = chain([kind.name], (f"{kind.name} {n}" for n in numbers(2)))
            parsed[next(name for name in names if name not in parsed)] = kind
    else:
        raise InvalidInputError(
            "windows must be a list of window types, or a dict from names to them, such as "
            f"{EXAMPLE}, not {windows!r}"
        )
    if not parsed:
        raise InvalidInputError(f"windows is empty; name at least one window, such as {EXAMPLE}")
    return parsed


def _in_list(windows: Iterable[object], unit: TimeUnit) -> Iterable[WindowType]:
    for position, window in enumerate(windows):
        yield window_in_units(window, unit, f"windows[{position}]")


def window_in_units(window: object, unit: TimeUnit, where: str) -> WindowType:
    """A window type with lengths in the unit of a time column.

    Those of a type of the specification are integers, which need a unit beside timestamps.
    """
    if isinstance(window, DurationWindow):
        return window.in_units_of(unit, where)
    if not isinstance(window, WindowType):
        raise InvalidInputError(
            f"{where}: {window!r} is no window type, such as tumbling('10 minutes')"
        )
    if window.measure is TIME:
        traits = traits_of(window)
        for name, length in traits.lengths.items():
            unit.length(length, f"{where}: {name}")
        for name, position in traits.positions.items():
            unit.position(position, f"{where}: {name}")
    return window
