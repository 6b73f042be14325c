"""`muntin diff`: as many rows as you care to pay for, through implementations that must agree."""

from argparse import ArgumentParser, Namespace, RawDescriptionHelpFormatter
from pathlib import Path
from secrets import randbelow
from tempfile import TemporaryDirectory

from muntin.console.messages import Subparsers
from muntin.differential.arguments import check, check_places
from muntin.differential.plan import (
    ASKED,
    DIALECTS,
    NATIVE,
    REAL,
    SHAPES,
    DiffPlan,
    contenders,
    known_shape,
    units,
    whole,
)
from muntin.differential.verdict import verdict
from muntin.spec.errors import InvalidInputError, MuntinError

OK, FAILED = 0, 1
AGAINST = "spec,scotty-eager,kernels,spark-native"
AGAINST_WHOLE = "spec=0.1%,kernels-table,spark,spark-native"

EPILOG = f"""\
Makes rows out of order on Spark, from a seed, or reads them from Parquet; each key
is a trace of its own, in micro-batches, with a watermark that trails its latest
row. Every implementation answers each trace on the executors, and the answers are
compared: exactly, or for floats within the bound that docs/diff.md states. The
first difference of each is made as small as it gets, printed, and written to a
file that `muntin replay FILE --with NAME --check` reproduces.

implementations: the operators of `muntin list`, {NATIVE} (Spark's own windows), or
MODULE:NAME, an operator of your own. NAME=10% gives it that share of the traces.

With --whole all rows of a DataFrame are answered at once, at millions a second: by `spark`
(muntin.spark.aggregate), `kernels-table` (muntin.columnar.aggregate) and {NATIVE}; the others
take one key at a time, and should have a small share. Default: {AGAINST_WHOLE}.

windows: TYPE:NUMBER:...:AGGREGATE, as in sliding:240:60:max; the types and their
fields are those of docs/transcripts.md, the aggregates too.

disorder: {", ".join(SHAPES)}, or {REAL}: each key has one of these.

units: numbers of windows, --delay and --lateness may be in us, ms, s, m, h or d where times are
timestamps: those are microseconds. Rows that no trace can hold (a time or key that is null, a
time that is NaN or no integer, a number that is too great, a value that is no number, a file
without the column) are left out and counted.

exit status: 0 if all agree, 1 if not or if nothing was judged, 2 if the command line is wrong

examples:
  muntin diff                                       a million rows
  muntin diff --rows 1e7 --keys 1e5 --against spec=10%,scotty-lazy,kernels
  muntin diff --dialect spark --against spec,scotty-fiba,spark-native
  muntin diff --input rides.parquet --time started --key station --value duration \\
      --windows tumbling:15m:sum,session:5m:count --delay 10m --lateness 1h
  muntin diff --flights --rows 1e5
  muntin diff --rows 1e9 --whole --seed 9 --journal nine.jsonl   in pieces, across restarts
  muntin diff --against spec,my_module:MyOperator --rows 1e5
"""


def add_parser(commands: Subparsers) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "diff",
        help="hold implementations against each other at scale, on Spark",
        description="Run many traces through implementations and Spark's own windows, and compare.",
        epilog=EPILOG,
        formatter_class=RawDescriptionHelpFormatter,
    )
    _add_arguments(parser)
    parser.set_defaults(run=run)


def _add_arguments(parser: ArgumentParser) -> None:
    add = parser.add_argument
    add("--rows", default=None, help="how many rows to make (default: 1e6, if none are given)")
    add(
        "--keys",
        default=None,
        help="of how many (default: a key for 100 rows; 1000, if --whole)",
    )
    add("--windows", default=ASKED, metavar="LIST", help=f"what is asked (default: {ASKED})")
    add("--whole", action="store_true", help="answer all rows at once, not key by key")
    add("--against", metavar="LIST", help=f"who answers (default: {AGAINST})")
    add("--disorder", metavar="NAME", help=f"how rows arrive (default: {REAL})")
    add("--seed", type=int, help="where to start (default: anywhere)")
    add("--input", type=Path, metavar="PATH", help="a Parquet file, or a folder of them")
    add("--time", metavar="COLUMN", help="the column of times (default: time)")
    add("--value", metavar="COLUMN", help="of values (default: value)")
    add("--key", metavar="COLUMN", help="of keys (default: none, all rows are one stream)")
    add("--trace", metavar="N", help="rows of a key at once (default: 100)")
    add("--flights", action="store_true", help="take the flights from New York in 2013 too")
    add("--streaming", action="store_true", help="ask Spark's own windows in a stream too")
    add("--delay", default="60", help="how far the watermark trails (default: 60)")
    add("--lateness", default="60", help="the allowed lateness (default: 60)")
    add("--batch", default="50", help="rows a micro-batch (default: 50)")
    add("--dialect", choices=[*DIALECTS], default="ours", help="whose rules (default: ours)")
    add("--master", default="local[*]", help="of Spark (default: local[*])")
    add("--journal", type=Path, metavar="FILE", help="go on where a run of the same was stopped")
    add("--out", type=Path, default=Path("diff"), help="where to write (default: diff)")


def plan_of(arguments: Namespace) -> DiffPlan:
    """Return what is asked, or say what is wrong with it."""
    given = arguments.input or arguments.flights
    rows = 0 if given and not arguments.rows else whole(arguments.rows or "1e6", "--rows")
    each = 1000 if arguments.whole else 100
    keys = whole(arguments.keys, "--keys") if arguments.keys else max(1, rows // each)
    if rows and keys > rows:
        raise InvalidInputError(f"--keys must be at most --rows: {keys} keys, and {rows} rows")
    plan = DiffPlan(
        arguments.windows,
        contenders(arguments.against or (AGAINST_WHOLE if arguments.whole else AGAINST)),
        rows,
        keys,
        randbelow(2**32) if arguments.seed is None else arguments.seed,
        known_shape(REAL if arguments.disorder is None else arguments.disorder),
        units(arguments.delay),
        units(arguments.lateness),
        whole(arguments.batch, "--batch"),
        arguments.dialect,
        arguments.whole,
    )
    check(arguments, plan)
    return plan


def run(arguments: Namespace) -> int:
    """Run the command."""
    plan, longest = plan_of(arguments), whole(arguments.trace or "100", "--trace")
    try:
        from muntin.differential.inputs.sources import (  # noqa: PLC0415 - it needs extras
            Files,
            flights_file,
            from_parquet,
            generated,
            made_whole,
        )
        from muntin.differential.run import DiffRun  # noqa: PLC0415 - it needs extras
        from muntin.differential.spark.parquet_footers import (  # noqa: PLC0415 - it is an extra
            Columns,
            footers,
        )
        from muntin.registry.dataframes.session import session  # noqa: PLC0415 - it is an extra
    except ModuleNotFoundError as missing:
        raise MuntinError(
            f"differential runs need {missing.name}, which is not installed: "
            "pip install 'muntin[spark,kernels,cli]'"
        ) from missing
    check_places(arguments.out, arguments.journal)
    path: Path | None = arguments.input
    columns = Columns(arguments.time or "time", arguments.value or "value", arguments.key)
    if path is not None:
        footers(path, columns)
    with session(arguments.master) as spark, TemporaryDirectory() as folder:
        made = made_whole if plan.whole else generated
        sources = [made(spark, plan)] if plan.rows else []
        if path is not None:
            sources.append(from_parquet(spark, plan, Files(path, columns, longest)))
        if arguments.flights:
            columns, file = Columns("left", "delay", "origin"), flights_file(Path(folder))
            flights = Files(file, columns, longest, "of the flights from New York in 2013")
            sources.append(from_parquet(spark, plan, flights))
        run = DiffRun(plan, arguments.out, spark, arguments.journal)
        found = run.run(sources, streaming=arguments.streaming)
    return OK if verdict(found, run.streams).agrees else FAILED
