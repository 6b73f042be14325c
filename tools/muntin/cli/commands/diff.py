"""`muntin diff`: run implementations on millions of rows and compare their results."""

from argparse import ArgumentParser, Namespace
from pathlib import Path
from secrets import randbelow
from tempfile import TemporaryDirectory

from muntin.differential.arguments import check, check_writable
from muntin.differential.plan import (
    DEFAULT_WINDOWS,
    DIALECTS,
    DISORDERS,
    MIXED_DISORDER,
    NATIVE,
    DiffPlan,
    check_disorder,
    parse_implementations,
    parse_units,
    parse_whole_number,
)
from muntin.differential.tally import outcome_of
from muntin.spec.errors import InvalidInputError, MuntinError

OK, FAILED = 0, 1
FLIGHTS = "of the flights from New York in 2013"
AGAINST = "spec,scotty-eager,kernels,spark-native"
AGAINST_WHOLE = "spec=0.1%,kernels-table,spark,spark-native"

HELP = "compare implementations on millions of rows, on Spark"
DESCRIPTION = "Compare implementations and Spark's own windows on many traces."
EPILOG = f"""\
Generates late rows on Spark from a seed, or reads rows from Parquet. Each key is a
trace of its own: micro-batches, with a watermark that trails the latest row. All
implementations run on each trace, and their results are compared: exactly, or for
floats within the bound in docs/diff-reference.md. The first difference of each is
shrunk, printed, and written to a file that `muntin replay FILE --with NAME --check`
reproduces.

implementations: the operators of `muntin list`, {NATIVE} (Spark's own windows), or
MODULE:NAME, an operator of your own. NAME=10% gives it that share of the traces.

With --whole all rows of a DataFrame are evaluated at once, at millions a second: by `spark`
(muntin.spark.aggregate), `kernels-table` (muntin.columnar.aggregate) and {NATIVE}; the others
process one key at a time, and should have a small share. Default: {AGAINST_WHOLE}.

windows: TYPE:NUMBER:...:AGGREGATE, as in sliding:240:60:max; for types, their fields and
aggregates see docs/transcripts.md.

disorder: {", ".join(DISORDERS)}, or {MIXED_DISORDER}: one of these for each key.

units: numbers of windows, --delay and --lateness may be in us, ms, s, m, h or d where times are
timestamps, which are microseconds. Rows that no trace can hold (a time or key that is null, a
time that is NaN or no integer, a number that is too great, a value that is no number, a file
without the column) are left out and counted.

exit status: 0 if all agree, 1 if not or if nothing was compared, 2 if the command line is wrong

examples:
  muntin diff                                       a million rows
  muntin diff --rows 1e7 --keys 1e5 --against spec=10%,scotty-lazy,kernels
  muntin diff --dialect spark --against spec,scotty-fiba,spark-native
  muntin diff --input rides.parquet --time started --key station --value duration \\
      --windows tumbling:15m:sum,session:5m:count --delay 10m --lateness 1h
  muntin diff --flights --rows 1e5
  muntin diff --rows 1e9 --whole --seed 9 --journal nine.jsonl   resumes after a stop
  muntin diff --against spec,my_module:MyOperator --rows 1e5
"""


def add_arguments(parser: ArgumentParser) -> None:
    """Add the arguments."""
    add = parser.add_argument
    add("--rows", help="rows to generate (default: 1e6 without an input)")
    add("--keys", help="keys of generated rows (default: one per 100 rows; per 1000 with --whole)")
    windows = f"the queries (default: {DEFAULT_WINDOWS})"
    add("--windows", default=DEFAULT_WINDOWS, metavar="LIST", help=windows)
    add("--whole", action="store_true", help="evaluate all rows at once, not key by key")
    add("--against", metavar="LIST", help=f"the implementations (default: {AGAINST})")
    add("--disorder", metavar="NAME", help=f"the delays of rows (default: {MIXED_DISORDER})")
    add("--seed", type=int, help="the seed of generated rows (default: random)")
    add("--input", type=Path, metavar="PATH", help="a Parquet file, or a folder of them")
    add("--time", metavar="COLUMN", help="the column of times (default: time)")
    add("--value", metavar="COLUMN", help="the column of values (default: value)")
    add("--key", metavar="COLUMN", help="the column of keys (default: none, one stream)")
    add("--trace", metavar="N", help="the most rows of a trace (default: 100)")
    add("--flights", action="store_true", help="add the flights from New York in 2013")
    add("--streaming", action="store_true", help="run Spark's own windows over a stream too")
    add("--delay", default="60", help="how far the watermark trails the latest row (default: 60)")
    add("--lateness", default="60", help="the allowed lateness (default: 60)")
    add("--batch", default="50", help="rows a micro-batch (default: 50)")
    add("--dialect", choices=[*DIALECTS], default="ours", help="the rules (default: ours)")
    add("--master", default="local[*]", help="the master URL of Spark (default: local[*])")
    add("--journal", type=Path, metavar="FILE", help="resume a stopped run of the same command")
    add("--out", type=Path, default=Path("diff"), help="the output folder (default: diff)")


def plan_of(arguments: Namespace) -> DiffPlan:
    """The plan of a command line; a wrong one is an error that names the option."""
    has_input = arguments.input or arguments.flights
    is_generated = arguments.rows or not has_input
    rows = parse_whole_number(arguments.rows or "1e6", "--rows") if is_generated else 0
    key_rows = 1000 if arguments.whole else 100
    if arguments.keys:
        keys = parse_whole_number(arguments.keys, "--keys")
    else:
        keys = max(1, rows // key_rows)
    if rows and keys > rows:
        raise InvalidInputError(f"--keys must be at most --rows: {keys} keys, and {rows} rows")
    plan = DiffPlan(
        arguments.windows,
        parse_implementations(arguments.against or (AGAINST_WHOLE if arguments.whole else AGAINST)),
        rows,
        keys,
        randbelow(2**32) if arguments.seed is None else arguments.seed,
        check_disorder(MIXED_DISORDER if arguments.disorder is None else arguments.disorder),
        parse_units(arguments.delay),
        parse_units(arguments.lateness),
        parse_whole_number(arguments.batch, "--batch"),
        arguments.dialect,
        arguments.whole,
    )
    check(arguments, plan)
    return plan


def run(arguments: Namespace) -> int:
    """Run the command."""
    plan = plan_of(arguments)
    longest = parse_whole_number(arguments.trace or "100", "--trace")
    try:
        from muntin.differential.inputs.sources import (  # noqa: PLC0415 - it needs extras
            ParquetInput,
            generated_dataframes,
            generated_traces,
            parquet_traces,
            write_flights,
        )
        from muntin.differential.run import DiffRun  # noqa: PLC0415 - it needs extras
        from muntin.differential.spark.parquet_footers import (  # noqa: PLC0415 - it is an extra
            ColumnNames,
            footers,
        )
        from muntin.registry.dataframes.session import session  # noqa: PLC0415 - it is an extra
    except ModuleNotFoundError as missing:
        raise MuntinError(
            f"differential runs need {missing.name}, which is not installed: "
            "pip install 'muntin[spark,kernels,cli]'"
        ) from missing
    check_writable(arguments.out, arguments.journal)
    path: Path | None = arguments.input
    columns = ColumnNames(arguments.time or "time", arguments.value or "value", arguments.key)
    if path is not None:
        footers(path, columns)
    with session(arguments.master) as spark, TemporaryDirectory() as folder:
        generate = generated_dataframes if plan.whole else generated_traces
        sources = [generate(spark, plan)] if plan.rows else []
        if path is not None:
            sources.append(parquet_traces(spark, plan, ParquetInput(path, columns, longest)))
        if arguments.flights:
            columns, file = ColumnNames("left", "delay", "origin"), write_flights(Path(folder))
            flights = ParquetInput(file, columns, longest, FLIGHTS)
            sources.append(parquet_traces(spark, plan, flights))
        run = DiffRun(plan, arguments.out, spark, arguments.journal)
        outcomes = run.run(sources, streaming=arguments.streaming)
    return OK if outcome_of(outcomes, run.streams).agrees else FAILED
