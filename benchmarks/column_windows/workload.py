"""Streams of two events a millisecond, and windows of 1 to 20 seconds and a session over them."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from math import exp
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from muntin.spec.algebra.catalogue import named
from muntin.spec.query import Query
from muntin.spec.stream import END
from muntin.spec.windows.data_driven import Session
from muntin.spec.windows.periodic import tumbling

DELAY = 2000
"""How far the watermark is behind the latest event, in milliseconds."""
LONGEST, SHORTEST, GAP = 20_000, 1000, 1000
"""The lengths of windows, and the gap of the session, in milliseconds."""
EACH = 2000
"""One row of these is very late, and a pause comes after these, in the disorders of these names."""
LONG = 10_000
"""From here on a size of batches is a power of ten."""

Ints: TypeAlias = NDArray[np.int64]
Column: TypeAlias = NDArray[np.int64] | NDArray[np.float64]
Keys: TypeAlias = NDArray[np.int64] | NDArray[np.object_] | None
Batch: TypeAlias = tuple[Ints, Column, Keys, float]
"""Times, values, keys, and the watermark after them: the arguments of `take_columns`."""


class Disorder(NamedTuple):
    """The share of rows that arrive late, their greatest delay, and the lateness allowed."""

    share: float
    delay: int
    lateness: int
    very_late: int = 0
    pause: int = 0


DISORDERS = {
    "in order": Disorder(0.0, 0, DELAY),
    "20 % late": Disorder(0.2, DELAY, DELAY),
    "heavy": Disorder(0.5, 20_000, 20_000),
    "one very late": Disorder(0.2, DELAY, 60_000, very_late=60_000),
    "pauses": Disorder(0.2, DELAY, DELAY, pause=4000),
}
"""Heavy: half of the rows up to 20 seconds; one very late: each 2,000th by a minute. Pauses: four
seconds without a row, after each 2,000, which end the session of a single key."""
DISTRIBUTIONS = ("even", "Zipf", "text")


@dataclass(frozen=True)
class Load:
    """A cell of the grid: what is asked of an engine, in what batches, over what stream."""

    windows: int = 5
    session: bool = False
    batch: int = 2000
    keys: int = 1
    disorder: str = "20 % late"
    distribution: str = "even"
    aggregate: str = "sum"
    floats: bool = False

    @property
    def name(self) -> str:
        """The name that `--only` selects by.

        >>> Load(20, True, 100, 1000, "heavy").name
        '20 windows and a session, batch 100, 10^3 keys, heavy'
        """
        windows = f"{self.windows:,} window{'s' if self.windows > 1 else ''}"
        session = " and a session" if self.session else ""
        keys = f"{power(self.keys)} key{'s' if self.keys > 1 else ''}"
        special = [] if self.distribution == "even" else [f"{self.distribution} keys"]
        special += [self.aggregate] if self.aggregate != "sum" else []
        special += ["floats"] if self.floats else []
        batch = f"batch {power(self.batch) if self.batch >= LONG else f'{self.batch:,}'}"
        return ", ".join([windows + session, batch, keys, self.disorder, *special])

    @property
    def results_a_row(self) -> float:
        """The windows that end, for each row, if keys are drawn evenly."""
        rows = [2 * length for length in lengths(self.windows)]
        ended = sum(self.keys * (1 - (1 - 1 / self.keys) ** n) / n for n in rows)
        return ended + self.session * exp(-2 * GAP / self.keys)

    @property
    def warm_up(self) -> int:
        """The rows until the longest window is full and the allowed lateness has passed."""
        return 2 * (LONGEST + DISORDERS[self.disorder].lateness) + 6000


class Stream(NamedTuple):
    """The columns of a stream in the order of arrival; values are small integers."""

    times: Ints
    values: Column
    keys: Keys


def power(number: int) -> str:
    """A number, as a power of ten if it is a large one.

    >>> power(10), power(2000), power(100_000)
    ('10', '2,000', '10^5')
    """
    zeros = len(f"{number}") - 1
    return f"10^{zeros}" if number == 10**zeros and zeros > 2 else f"{number:,}"  # noqa: PLR2004 - 1,000 is the first that is longer


def lengths(windows: int) -> list[int]:
    """The lengths of tumbling windows, from one second to twenty.

    >>> lengths(3)
    [1000, 10500, 20000]
    """
    spread = LONGEST - SHORTEST
    return [SHORTEST + spread * i // max(1, windows - 1) for i in range(windows)]


def queries(load: Load) -> Iterator[Query]:
    """Yield the queries, all of the same aggregate."""
    for length in lengths(load.windows):
        yield Query(f"w{length}", tumbling(length), named(load.aggregate))
    if load.session:
        yield Query("session", Session(GAP), named(load.aggregate))


@lru_cache(4)
def stream(rows: int, disorder: str, keys: int, distribution: str) -> Stream:
    """The first rows that arrive of a stream; those that arrive later are left out."""
    rng = np.random.default_rng(1)
    share, delay, _, very_late, pause = DISORDERS[disorder]
    events = rows + 2 * max(delay, very_late)
    at = np.arange(events) // 2 + np.arange(events) // EACH * pause
    delays = np.where(rng.random(events) < share, rng.integers(0, max(1, delay), events), 0)
    if very_late:
        delays[::EACH] = very_late
    order = np.argsort(at + delays, kind="stable")[:rows]
    values = rng.integers(0, 100, rows)
    return Stream(at[order], values, _keys(rng, rows, keys, distribution))


def _keys(rng: np.random.Generator, rows: int, keys: int, distribution: str) -> Keys:
    if keys == 1:
        return None
    if distribution == "Zipf":
        return rng.zipf(1.2, rows) % keys
    numbers = rng.integers(0, keys, rows)
    if distribution == "text":
        return np.array([f"customer {k}" for k in range(keys)], object)[numbers]
    return numbers


def batches(load: Load, rows: int, batch: int | None = None, first: int = 0) -> Iterator[Batch]:
    """Yield batches of the stream from a row on, each with the watermark after it."""
    times, values, keys = stream(rows, load.disorder, load.keys, load.distribution)
    values = values.astype(np.float64) if load.floats else values
    latest = np.maximum.accumulate(times)
    size = batch or load.batch
    for begin in range(first, rows - size + 1, size):
        part = slice(begin, begin + size)
        watermark = int(latest[begin + size - 1]) - DELAY
        yield times[part], values[part], None if keys is None else keys[part], watermark


def last_batch(load: Load) -> Batch:
    """No row, and the watermark that ends every window."""
    times, values, keys = stream(2000, load.disorder, load.keys, load.distribution)
    values = values.astype(np.float64) if load.floats else values
    return times[:0], values[:0], None if keys is None else keys[:0], END
