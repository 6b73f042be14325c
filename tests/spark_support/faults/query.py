"""The trace and the call of the tests of faults, and what must be in the sink, by plain Python."""

import json
from collections import Counter, defaultdict
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import NamedTuple

from pyspark.sql import DataFrame

from muntin.spark import aggregate
from muntin.spark.source.trace import Generated
from muntin.spec.windows.data_driven import Session
from muntin.spec.windows.periodic import Sliding

DELAY, SIZE, SLIDE, GAP = 500_000, 2_000_000, 1_000_000, 300_000
TRACE = {"keys": 5, "step": 20_000, "delay": 400_000, "seed": 3}
OPTIONS = {**{name: str(value) for name, value in TRACE.items()}, "rows_per_trigger": "250"}

Window = tuple[str, int, int, int]
"""The id of a window, its key, start and end."""


class Value(NamedTuple):
    """What is aggregated of a window."""

    rows: int
    total: int


def answer_of(df: DataFrame) -> DataFrame:
    """Return windows when they can change no more."""
    return aggregate(
        df,
        keys="key",
        windows={"slide": Sliding(SIZE, SLIDE), "visit": Session(GAP)},
        aggregates={"rows": "count", "total": ("sum", "v")},
        watermark=DELAY,
        output="final",
        buckets=4,
    )


def events(rows: int) -> Iterator[tuple[int, int, int]]:
    """Yield key, time and value of each row."""
    for batch in Generated(rows=rows, **TRACE).read(0, rows):
        for row in getattr(batch, "to_pylist")():  # noqa: B009 - Arrow is not typed
            yield row["key"], int(row["ts"].timestamp() * 10**6 + 0.5), row["v"]


def wanted(rows: int) -> dict[Window, Value]:
    """Return every window that ends before the last watermark."""
    found: defaultdict[Window, list[int]] = defaultdict(list)
    times: defaultdict[int, list[tuple[int, int]]] = defaultdict(list)
    for key, time, value in events(rows):
        times[key].append((time, value))
        last = time - time % SLIDE
        for start in range(last, time - SIZE, -SLIDE):
            found["slide", key, start, start + SIZE].append(value)
    for key, mine in times.items():
        held: list[tuple[int, int]] = []
        for one in [*sorted(mine), (10**18, 0)]:
            if held and one[0] - held[-1][0] >= GAP:
                values = [value for _, value in held]
                found["visit", key, held[0][0], held[-1][0] + GAP] = values
                held = []
            held.append(one)
    newest = max(time for mine in times.values() for time, _ in mine)
    watermark = newest // 1000 * 1000 - DELAY
    return {
        one: Value(len(values), sum(values)) for one, values in found.items() if one[3] <= watermark
    }


def committed(sink: Path) -> Iterator[str]:
    """Yield the files that Spark's log of the sink names, each once."""
    names = set[str]()
    for log in (sink / "_spark_metadata").iterdir():
        if not log.name.startswith("."):
            names |= {json.loads(line)["path"] for line in log.read_text().splitlines()[1:]}
    yield from sorted(names)


def wrong(sink: Path, rows: int) -> str:
    """Say what is lost, doubled or wrong in the sink; nothing, if nothing is."""
    parquet = import_module("pyarrow.parquet")
    told, values = Counter[Window](), dict[Window, Value]()
    for name in committed(sink):
        for row in parquet.read_table(name.removeprefix("file://")).to_pylist():
            start, end = (int(row[n].timestamp() * 10**6 + 0.5) for n in ("start", "end"))
            one = (row["window"], row["key"], start, end)
            told[one] += 1
            values[one] = Value(row["rows"], row["total"])
    right = wanted(rows)
    lost = [one for one in right if one not in told]
    extra = [one for one in told if one not in right]
    doubled = [one for one, n in told.items() if n > 1]
    false = [one for one in values if one in right and right[one] != values[one]]
    kinds = {"lost": lost, "not wanted": extra, "doubled": doubled, "wrong": false}
    if not right:
        return "nothing was wanted"
    return "; ".join(f"{len(some)} {name}: {some[:2]}" for name, some in kinds.items() if some)
