"""A differential run from the driver's seat: chunk after chunk, until all rows are judged."""

from collections.abc import Callable
from time import monotonic
from typing import TYPE_CHECKING

from muntin.differential.journal import Journal
from muntin.differential.plan import NATIVE, DiffPlan
from muntin.differential.spark.remote import TALLY, judging
from muntin.differential.tally import Tally, read
from muntin.registry.dataframes.native_queries import NativeQuery, translated

if TYPE_CHECKING:
    from muntin.differential.inputs.sources import Source
    from muntin.registry.dataframes.traces import Frame

ProgressCallback = Callable[[Tally], None]
"""Called with the tally of each chunk."""


def native_queries(plan: DiffPlan) -> list[NativeQuery]:
    """Return the queries that Spark serves, if it is a contender."""
    found = [translated(query) for query in plan.queries() if plan.asks_spark()]
    return [one for one in found if not isinstance(one, str)]


def native_refusals(plan: DiffPlan) -> dict[str, str]:
    """Return why Spark does not serve the others."""
    asks = plan.asks_spark() and not plan.whole
    found = {query.id: translated(query) for query in plan.queries() if asks}
    return {f"{NATIVE}: {name}": why for name, why in found.items() if isinstance(why, str)}


def judged(frame: "Frame", plan: DiffPlan) -> Tally:
    """Judge the traces of a frame, or the rows, if they are answered all at once."""
    if plan.whole:
        from muntin.differential.dataframe_comparison import Chunk  # noqa: PLC0415 - it needs an extra

        return Chunk(frame, plan).tally()
    from muntin.registry.dataframes.native_windows import answers  # noqa: PLC0415 - it is an extra
    from muntin.registry.dataframes.traces import mapped  # noqa: PLC0415 - it is an extra

    tasks = int(str(frame.sparkSession.conf.get("spark.sql.shuffle.partitions")))
    kept = frame.repartition(tasks, "key").persist()  # each native query asks for it again
    asked = native_queries(plan)
    frame = answers(kept, asked, merge_at_gap=plan.dialect == "spark") if asked else kept
    total = Tally()
    for row in mapped(frame, judging(plan), TALLY).collect():
        total.add(read(row["tally"]))
    kept.unpersist()
    return total


def run_chunks(
    source: "Source", plan: DiffPlan, told: ProgressCallback, journal: Journal | None = None
) -> Tally:
    """Judge all rows of a source, but for those that a journal knows."""
    total = Tally(refused=native_refusals(plan))
    start = monotonic()
    for nth, frame in enumerate(source.chunks()):
        found = journal.known(nth) if journal else None
        if found is None:
            found = judged(frame, plan)
            found.seconds[""], start = monotonic() - start, monotonic()
            if journal:
                journal.note(nth, found)
        total.add(found)
        told(found)
    return total
