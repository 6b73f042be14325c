"""A differential run from the driver's seat: chunk after chunk, until all rows are judged."""

from collections.abc import Callable, Iterator
from functools import partial
from time import monotonic
from typing import TYPE_CHECKING

from muntin.cli.differential.plan import NATIVE, Plan
from muntin.cli.differential.remote import TALLY, judging, trace_row
from muntin.cli.differential.tally import Tally, read
from muntin.spark.differential.native_queries import NativeQuery, translated

if TYPE_CHECKING:
    from muntin.spark.differential.session import Session
    from muntin.spark.differential.traces import Frame

CHUNK = 250_000
"""How many rows are judged by one job of Spark; then the progress bar moves."""
FEW, TASKS = 5000, 8
"""How many rows a task has at least, and how many tasks a job has at most."""

Told = Callable[[Tally, int], None]
"""Called with the tally of a chunk, and how many rows were asked for."""


def native_queries(plan: Plan) -> list[NativeQuery]:
    """Return the queries that Spark serves, if it is a contender."""
    if all(one.name != NATIVE for one in plan.against):
        return []
    found = [translated(query) for query in plan.queries()]
    return [one for one in found if not isinstance(one, str)]


def native_refusals(plan: Plan) -> dict[str, str]:
    """Return why Spark does not serve the others."""
    if all(one.name != NATIVE for one in plan.against):
        return {}
    found = {query.id: translated(query) for query in plan.queries()}
    return {f"{NATIVE}: {name}": why for name, why in found.items() if isinstance(why, str)}


def judged(frame: "Frame", plan: Plan) -> Tally:
    """Judge the traces of a frame."""
    from muntin.spark.differential.native import answers  # noqa: PLC0415 - it is an extra
    from muntin.spark.differential.traces import mapped  # noqa: PLC0415 - it is an extra

    tasks = int(str(frame.sparkSession.conf.get("spark.sql.shuffle.partitions")))
    kept = frame.repartition(tasks, "key").persist()  # they are asked for repeatedly
    if any(one.name == NATIVE for one in plan.against):
        frame = answers(kept, native_queries(plan), merge_at_gap=plan.dialect == "spark")
    total = Tally()
    for row in mapped(frame, judging(plan), TALLY).collect():
        total.add(read(row["tally"]))
    kept.unpersist()
    return total


def chunks(plan: Plan) -> Iterator[range]:
    """Yield the keys of each chunk.

    >>> list(chunks(Plan(rows=600_000, keys=6)))
    [range(0, 2), range(2, 4), range(4, 6)]
    """
    together = max(1, CHUNK // plan.most_rows())
    for first in range(0, plan.keys, together):
        yield range(first, min(first + together, plan.keys))


def drive(spark: "Session", plan: Plan, told: Told) -> Tally:
    """Judge generated rows."""
    from muntin.spark.differential.traces import generated  # noqa: PLC0415 - it is an extra

    total = Tally(refused=native_refusals(plan))
    for keys in chunks(plan):
        tasks = max(1, min(TASKS, len(keys) * plan.most_rows() // FEW))
        spark.conf.set("spark.sql.shuffle.partitions", str(tasks))
        start = monotonic()
        found = judged(generated(spark, keys, partial(trace_row, plan), tasks), plan)
        found.seconds[""] = monotonic() - start
        total.add(found)
        told(found, found.of()["rows"])
    return total
