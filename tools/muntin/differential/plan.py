"""What a differential run is asked: plain values, so that it can be sent anywhere."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType

from muntin.conformance.transcript.json_reader import JsonNode
from muntin.conformance.transcript.windows import WINDOW_CODECS, read_window
from muntin.registry.dataframes.names import WINDOWS
from muntin.spec.algebra.catalogue import named
from muntin.spec.dialect import OURS, Dialect
from muntin.spec.errors import InvalidInputError, positive
from muntin.spec.query import Query, Settings

SPEC, NATIVE = "spec", WINDOWS
"""The contender that is the denotation, and the one that is Spark's own windows."""

SPARK = Dialect(session_merge="le")
"""What Spark does where engines disagree, as far as a batch can show it."""

DIALECTS: Mapping[str, Dialect] = MappingProxyType({"ours": OURS, "spark": SPARK})
SHAPES, REAL = ("none", "uniform", "heavy", "flush"), "real"
"""How rows arrive (`workload`), and the name for that each key has a shape of its own."""

ASKED = "tumbling:60:sum,sliding:240:60:max,session:20:count,sliding:120:60:mean"


@dataclass(frozen=True)
class Implementation:
    """An implementation by its name, and the share of the traces that it is given."""

    name: str
    share: float = 1.0

    def takes(self, nth: int) -> bool:
        """Whether it is given this trace: so many of every thousand.

        >>> [nth for nth in range(5000, 5010) if Implementation("spec", 0.3).takes(nth)]
        [5000, 5002, 5005]
        """
        return nth * 617 % 1000 < self.share * 1000


@dataclass(frozen=True)
class DiffPlan:
    """The queries, the traces they are asked of, and the contenders that answer."""

    windows: str = ASKED
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
        """Return the queries; each time the same ones.

        >>> [query.id for query in DiffPlan("tumbling:10:sum,count:5:2:max").queries()]
        ['tumbling:10:sum', 'count:5:2:max']
        """
        return _queries(self.windows)

    def settings(self) -> Settings:
        """Return the settings of every run."""
        return Settings(self.lateness, dialect=DIALECTS[self.dialect])

    def asks_spark(self) -> bool:
        """Whether Spark's own windows are a contender."""
        return any(one.name == NATIVE for one in self.against)

    def most_rows(self) -> int:
        """Return how many rows a generated key has at most."""
        return -(-self.rows // self.keys)


@cache
def _queries(windows: str) -> tuple[Query, ...]:
    names = [name for name in windows.split(",") if name]
    if not names or len({*names}) < len(names):
        raise InvalidInputError(f"the windows must be one or more that differ: {windows!r}")
    return tuple(asked(name) for name in names)


def asked(text: str) -> Query:
    """Return the query that TYPE:NUMBER:...:AGGREGATE stands for.

    >>> asked("sliding:240:60:max").window
    Sliding(size=240, slide=60, offset=0, measure=Measure(name='time', of=...))
    """
    kind, *numbers, aggregate = text.split(":") if ":" in text else (text, "")
    if kind not in WINDOW_CODECS:
        raise InvalidInputError(f"{text!r} must begin with one of {', '.join(WINDOW_CODECS)}")
    form = WINDOW_CODECS[kind]
    fields = (*form.needs, *form.may)
    shape = ":".join([kind, *form.needs, *(f"[{one}]" for one in form.may), "AGGREGATE"])
    if not len(form.needs) <= len(numbers) <= len(fields):
        raise InvalidInputError(f"{text!r} must be {shape}")
    try:
        values = dict(zip(fields, map(units, numbers), strict=False))
        return Query(text, read_window(JsonNode({"type": kind, **values}, text)), named(aggregate))
    except InvalidInputError as error:
        raise InvalidInputError(f"{text!r} must be {shape}: {error}") from error


UNITS = {"us": 1, "ms": 10**3, "s": 10**6, "m": 60 * 10**6, "h": 3600 * 10**6, "d": 86400 * 10**6}
"""What a number may be followed by, where times are timestamps, that is microseconds."""


def units(text: str) -> int:
    """Return an integer, which may be given in a unit of time.

    >>> units("-60"), units("2m")
    (-60, 120000000)
    """
    found = re.fullmatch(rf"(-?\d+)({'|'.join(UNITS)})?", text, re.ASCII)
    if found is None:
        known = ", ".join(UNITS)
        raise InvalidInputError(f"{text!r} must be an integer, perhaps in one of {known}")
    return int(found[1]) * UNITS.get(found[2], 1)


def contenders(text: str) -> tuple[Implementation, ...]:
    """Return the contenders of NAME[=SHARE%],...

    >>> contenders("spec=10%,kernels")
    (Implementation(name='spec', share=0.1), Implementation(name='kernels', share=1.0))
    """
    found = tuple(_contender(one) for one in text.split(",") if one)
    names = [one.name for one in found]
    if len(names) < 2 or len({*names}) < len(names):  # noqa: PLR2004 - one against another
        raise InvalidInputError(f"--against must name two implementations or more, not {text!r}")
    return found


def _contender(text: str) -> Implementation:
    name, equals, share = text.partition("=")
    if not equals:
        return Implementation(name)
    try:
        part = float(share.removesuffix("%")) / 100
    except ValueError:
        part = -1.0
    if not 0 < part <= 1 or not share.endswith("%"):
        raise InvalidInputError(f"{text!r} must be NAME or NAME=SHARE%, up to 100%")
    return Implementation(name, part)


def known_shape(name: str) -> str:
    """Return the name of a shape, or list those that there are."""
    if name == REAL or name in SHAPES:
        return name
    raise InvalidInputError(f"{name!r} is no disorder; known are {', '.join(SHAPES)}, {REAL}")


def whole(text: str, what: str) -> int:
    """Return a whole number greater than 0, which may be written as 1e6.

    >>> whole("1e6", "the rows")
    1000000
    """
    try:
        number = float(text)
        return positive(int(number) if number == int(number) else text, what)
    except (ValueError, OverflowError) as error:
        raise InvalidInputError(f"{what} must be a whole number above 0, not {text!r}") from error
