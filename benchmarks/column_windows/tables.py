"""Table engines over a whole table in order: Polars, DuckDB, and the engine in one step."""

# Polars and DuckDB are optional here, and seen by their names only, so:
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from time import process_time
from typing import NamedTuple, Protocol

from column_windows.engine import ColumnOfValues, engine, step, sums
from column_windows.workload import GAP, Load, batches, lengths, stream
from muntin.spec.stream import END
from rounds.clock import DisagreementError, say


class GroupedFrame(Protocol):
    """A table with a column of sums."""

    height: int

    def get_column(self, name: str, /) -> ColumnOfValues:
        """One of its columns."""
        ...


MINE = "muntin"
FEW_KEYS, FEW_WINDOWS = 10, 5
"""With more of both it is mainly the patience of the reader that is measured."""
Counted = tuple[int, float]
"""How many windows there are, and the sum of their values."""


class TableFigures(NamedTuple):
    """Rows a second of each engine that computes the windows of a load over a whole table."""

    load: Load
    rates: dict[str, float]


def table_loads(windows: Sequence[int], keys: Sequence[int], rows: int) -> list[Load]:
    """The loads that table engines are measured with."""
    loads = [
        Load(count, session, rows, number, "in order")
        for number in keys
        for session in (False, True)
        for count in sorted({1, *windows[1:3]})
    ]
    return [load for load in loads if load.keys <= FEW_KEYS or load.windows <= FEW_WINDOWS]


def in_one_step(path: str, load: Load) -> Callable[[], Counted]:
    """The engine that is measured, with the table as one batch."""
    times, values, keys, _ = next(batches(load, load.batch))

    def answer() -> Counted:
        results = step(engine(path, load), (times, values, keys, END))
        return len(results), sum(sums(results).values())

    return answer


def polars(load: Load, *, dynamic: bool = True) -> Callable[[], Counted]:
    """Polars: `group_by_dynamic`, or a grouping of the start; sessions by differences of times."""
    pl = import_module("polars")
    times, values, keys = stream(load.batch, "in order", load.keys, "even")
    columns = {"t": times, "v": values} | ({} if keys is None else {"k": keys})
    frame = pl.DataFrame(columns).set_sorted("t")
    by = [] if keys is None else ["k"]
    total = pl.col("v").sum()

    def sessions() -> GroupedFrame:
        time = pl.col("t")
        begins, number = (time - time.shift(1)) >= GAP, pl.col("begins").cum_sum()
        begins = begins.over("k") if by else begins
        starts = frame.with_columns(begins=begins.fill_null(value=False))
        numbered = starts.with_columns(session=number.over("k") if by else number)
        grouped: GroupedFrame = numbered.group_by([*by, "session"]).agg(total)
        return grouped

    def windows(length: int) -> GroupedFrame:
        starts = frame.group_by(pl.col("t") // length, *by)
        if dynamic:
            starts = frame.group_by_dynamic("t", every=f"{length}i", group_by=by)
        grouped: GroupedFrame = starts.agg(total)
        return grouped

    def answer() -> Counted:
        grouped = [windows(length) for length in lengths(load.windows)]
        grouped += [sessions()] if load.session else []
        return sum(one.height for one in grouped), float(
            sum(one.get_column("v").sum() for one in grouped)
        )

    return answer


def duckdb(load: Load) -> Callable[[], Counted]:
    """DuckDB on one thread: a grouping of the start of the window, and sessions by `lag`."""
    database = import_module("duckdb").connect()
    times, values, keys = stream(load.batch, "in order", load.keys, "even")
    columns = {"t": times, "v": values} | ({} if keys is None else {"k": keys})
    database.execute("set threads = 1")
    database.register("source", import_module("pyarrow").table(columns))
    database.execute("create table events as select * from source")
    key = "" if keys is None else ", k"
    over = f"over ({'partition by k ' if key else ''}order by t)"
    queries = [
        f"select t // {n}{key}, sum(v) as v from events group by t // {n}{key}"  # noqa: S608 - our own names
        for n in lengths(load.windows)
    ]
    if load.session:
        begins = f"select *, coalesce(t - lag(t) {over} >= {GAP}, false) as begins from events"  # noqa: S608 - as above
        numbered = f"select *, sum(begins::int) {over} as s from ({begins})"  # noqa: S608 - as above
        queries.append(f"select s{key}, sum(v) as v from ({numbered}) group by s{key}")  # noqa: S608 - as above

    def answer() -> Counted:
        columns = [database.execute(query).fetchnumpy()["v"] for query in queries]
        return sum(len(column) for column in columns), float(sum(c.sum() for c in columns))

    return answer


TableEngine = Callable[[Load], Callable[[], Counted]]


def peers() -> dict[str, TableEngine]:
    """The table engines that are installed."""
    each: dict[str, TableEngine] = {
        "polars": polars,
        "polars, group by start": partial(polars, dynamic=False),
        "duckdb": duckdb,
    }
    return {name: peer for name, peer in each.items() if find_spec(name.partition(",")[0])}


def seconds(answer: Callable[[], object]) -> float:
    """The CPU time of an answer, on all threads."""
    start = process_time()
    answer()
    return process_time() - start


def table_figures(path: str, loads: Sequence[Load], turns: int) -> Iterator[TableFigures]:
    """Yield rates, in turns; an engine that has other windows or sums is an error."""
    for load in loads:
        answers = {MINE: in_one_step(path, load)}
        answers |= {name: peer(load) for name, peer in peers().items()}
        counted = {name: answer() for name, answer in answers.items()}
        if len(set(counted.values())) > 1:
            raise DisagreementError(f"{load.name}, a whole table: there are {counted}")
        shortest = dict.fromkeys(answers, float("inf"))
        for _ in range(turns):
            for name, answer in answers.items():
                shortest[name] = min(shortest[name], seconds(answer))
        rates = {name: load.batch / least for name, least in shortest.items()}
        say(
            f"whole table: {load.name}: {', '.join(f'{n} {r / 1e6:.1f}' for n, r in rates.items())}"
        )
        yield TableFigures(replace(load), rates)
