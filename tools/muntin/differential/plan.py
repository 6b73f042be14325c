"""The plan of a differential run, as plain values that can be sent to executors."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from muntin.conformance.transcript.json_reader import JsonNode
from muntin.conformance.transcript.windows import WINDOW_CODECS, read_window
from muntin.registry.implementations import SPARK_NATIVE
from muntin.spec.algebra.catalogue import named
from muntin.spec.dialect import OURS, Dialect
from muntin.spec.errors import InvalidInputError, positive
from muntin.spec.query import Query, Settings

SPEC, NATIVE = "spec", SPARK_NATIVE
"""The implementation that is the denotation, and the one that is Spark's own windows."""

SPARK_DIALECT = Dialect(session_merge="le")
"""What Spark does where engines disagree, as far as a batch can show it."""

DIALECTS: Mapping[str, Dialect] = {"ours": OURS, "spark": SPARK_DIALECT}
DISORDERS, MIXED_DISORDER = ("none", "uniform", "heavy", "flush"), "real"
"""The shapes of delay (`inputs.generated_traces`), and the name for one shape drawn per key."""

MAX_WHOLE_NUMBER = 10**12
DEFAULT_WINDOWS = "tumbling:60:sum,sliding:240:60:max,session:20:count,sliding:120:60:mean"


@dataclass(frozen=True)
class Implementation:
    """An implementation by its name, and the share of the traces that it gets."""

    name: str
    share: float = 1.0

    def accepts(self, trace_number: int) -> bool:
        """Whether it gets this trace: of every thousand in a row, its share exactly.

        >>> third = Implementation("spec", 0.3)
        >>> [number for number in range(5000, 5010) if third.accepts(number)]
        [5000, 5002, 5005]
        """
        return trace_number * 617 % 1000 < self.share * 1000


@dataclass(frozen=True)
class DiffPlan:
    """The queries, the traces, and the implementations to compare."""

    windows: str = DEFAULT_WINDOWS
    against: tuple[Implementation, ...] = (Implementation(SPEC),)
    rows: int = 1_000_000
    keys: int = 10_000
    seed: int = 1
    disorder: str = "real"
    delay: int = 60
    lateness: int = 60
    batch: int = 50
    dialect: str = "ours"
    whole: bool = False

    def queries(self) -> tuple[Query, ...]:
        """The queries, equal objects at each call: caches are keyed by them.

        >>> [query.id for query in DiffPlan("tumbling:10:sum,count:5:2:max").queries()]
        ['tumbling:10:sum', 'count:5:2:max']
        """
        return _queries(self.windows)

    def settings(self) -> Settings:
        """The settings of every operator in the run."""
        return Settings(self.lateness, dialect=DIALECTS[self.dialect])

    def has_native(self) -> bool:
        """Whether Spark's own windows are among the implementations."""
        return any(implementation.name == NATIVE for implementation in self.against)

    def max_rows_per_key(self) -> int:
        """The rows of a generated key, rounded up: keys differ by one row at most."""
        return -(-self.rows // self.keys)


@cache
def _queries(windows: str) -> tuple[Query, ...]:
    names = [name for name in windows.split(",") if name]
    if not names or len({*names}) < len(names):
        message = f"--windows must list one or more windows, each once, not {windows!r}"
        raise InvalidInputError(message)
    return tuple(parse_query(name) for name in names)


def parse_query(text: str) -> Query:
    """A query written as TYPE:NUMBER:...:AGGREGATE, which is also its id.

    >>> parse_query("sliding:240:60:max").window
    Sliding(size=240, slide=60, offset=0, measure=Measure(name='time'))
    """
    window_type, *numbers, aggregate = text.split(":") if ":" in text else (text, "")
    if window_type not in WINDOW_CODECS:
        raise InvalidInputError(f"{text!r} must begin with one of {', '.join(WINDOW_CODECS)}")
    form = WINDOW_CODECS[window_type]
    fields = (*form.needs, *form.may)
    optional = (f"[{field}]" for field in form.may)
    grammar = ":".join([window_type, *form.needs, *optional, "AGGREGATE"])
    if not len(form.needs) <= len(numbers) <= len(fields):
        raise InvalidInputError(f"{text!r} must be {grammar}")
    try:
        values = dict(zip(fields, map(parse_units, numbers), strict=False))
        window = read_window(JsonNode({"type": window_type, **values}, text))
        return Query(text, window, named(aggregate))
    except InvalidInputError as error:
        raise InvalidInputError(f"{text!r} must be {grammar}: {error}") from error


UNITS = {"us": 1, "ms": 10**3, "s": 10**6, "m": 60 * 10**6, "h": 3600 * 10**6, "d": 86400 * 10**6}
"""Units of time in microseconds, the resolution of timestamps."""


def parse_units(text: str) -> int:
    """An integer, or a number with a unit of time in microseconds.

    >>> parse_units("-60"), parse_units("2m")
    (-60, 120000000)
    """
    match = re.fullmatch(rf"(-?\d+)({'|'.join(UNITS)})?", text, re.ASCII)
    if match is None:
        message = f"{text!r} must be an integer, optionally with a unit: {', '.join(UNITS)}"
        raise InvalidInputError(message)
    return int(match[1]) * UNITS.get(match[2], 1)


def parse_implementations(text: str) -> tuple[Implementation, ...]:
    """The implementations of NAME[=SHARE%],...

    >>> parse_implementations("spec=10%,kernels")
    (Implementation(name='spec', share=0.1), Implementation(name='kernels', share=1.0))
    """
    implementations = tuple(_parse_implementation(part) for part in text.split(",") if part)
    names = [implementation.name for implementation in implementations]
    if len(names) < 2 or len({*names}) < len(names):  # noqa: PLR2004 - a comparison needs two
        message = f"--against must name two implementations or more, each once, not {text!r}"
        raise InvalidInputError(message)
    return implementations


def _parse_implementation(text: str) -> Implementation:
    name, equals, percentage = text.partition("=")
    if not equals:
        return Implementation(name)
    try:
        share = float(percentage.removesuffix("%")) / 100
    except ValueError:
        share = -1.0
    if not 0 < share <= 1 or not percentage.endswith("%"):
        raise InvalidInputError(f"{text!r} must be NAME or NAME=SHARE%, up to 100%")
    return Implementation(name, share)


def check_disorder(name: str) -> str:
    """The name itself; an unknown one is an error that lists the known ones."""
    if name not in (*DISORDERS, MIXED_DISORDER):
        listed = ", ".join((*DISORDERS, MIXED_DISORDER))
        raise InvalidInputError(f"--disorder {name!r} is unknown; use one of {listed}")
    return name


def parse_whole_number(text: str, what: str) -> int:
    """A whole number greater than 0, which may be written as 1e6.

    >>> parse_whole_number("1e6", "the rows")
    1000000
    """
    try:
        number = float(text)
        whole = positive(int(number) if number == int(number) else text, what)
    except (ValueError, OverflowError) as error:
        raise InvalidInputError(f"{what} must be a whole number above 0, not {text!r}") from error
    if whole > MAX_WHOLE_NUMBER:
        raise InvalidInputError(f"{what} must be at most {MAX_WHOLE_NUMBER}, not {text!r}")
    return whole
