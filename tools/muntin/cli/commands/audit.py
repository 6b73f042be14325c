"""`muntin audit`: which rule explains the windows of a job, and which windows none explains."""

import json
from argparse import ArgumentParser, Namespace
from pathlib import Path

from muntin.console.messages import say
from muntin.console.progress import ProgressBar
from muntin.spec.errors import MuntinError

OK, FAILED, UNSUPPORTED = 0, 1, 3

HELP = "audit the windows of a job: which rule and clock they follow, and which are wrong"
DESCRIPTION = "Find the rule that explains the windows of a job, and the windows that it does not."
EPILOG = """\
ROWS are the rows of a job in the order in which they came, WINDOWS what it emitted; of a
window that was emitted more than once the last value counts. Both are Parquet, CSV (with a
header) or JSON lines. Times are integers, or timestamps of any unit; so are starts and ends.

No watermark is known, so the clock is part of what is sought: none, one of all rows, or one
of each key, with a slack: the delay of the watermark and the allowed lateness, which final
windows cannot distinguish. Rules are scored on samples. Then all rows are evaluated by the
best rule, and the denotation decides on each window that differs.

exit status:
  0  the rule explains every window
  1  it does not: each window is printed with a hint
  2  the command line is wrong, or a row or window cannot be read
  3  there is no row or no window

examples:
  muntin audit rows.parquet windows.parquet --window session:30min --aggregate count
  muntin audit rows.csv out.jsonl --time ts --key user --value amount --window tumbling:10s \\
      --result total --out wrong.json
  muntin audit rows.parquet windows.parquet --window sliding:600:60 --aggregate max --json
"""


def add_arguments(parser: ArgumentParser) -> None:
    """Add the arguments."""
    add = parser.add_argument
    add("rows", type=Path, metavar="ROWS", help="a file of rows, in the order of arrival")
    add("windows", type=Path, metavar="WINDOWS", help="a file of the windows that the job emitted")
    window = "tumbling:SIZE[:OFFSET], sliding:SIZE:SLIDE[:OFFSET] or session:GAP"
    add("--window", required=True, metavar="WINDOW", help=window)
    add("--aggregate", default="sum", metavar="NAME", help="of the catalogue (default: sum)")
    add("--time", default="time", metavar="COLUMN", help="the times of rows (default: time)")
    add("--key", metavar="COLUMN", help="the keys of rows (default: none, one stream)")
    add("--value", default="value", metavar="COLUMN", help="the values of rows (default: value)")
    add("--start", default="start", metavar="COLUMN", help="the starts of windows (default: start)")
    add("--end", default="end", metavar="COLUMN", help="the ends of windows (default: end)")
    add("--window-key", metavar="COLUMN", help="the keys of windows (default: that of rows)")
    add(
        "--result", default="value", metavar="COLUMN", help="the values of windows (default: value)"
    )
    add(
        "--shown", type=int, default=20, metavar="N", help="how many windows to print (default: 20)"
    )
    add("--json", action="store_true", help="print one JSON document")
    add("--out", type=Path, metavar="FILE", help="write the rows around one as a transcript")


def run(arguments: Namespace) -> int:
    """Run the command."""
    try:
        from muntin.audit.job_audit import (  # noqa: PLC0415 - it needs extras
            JobPaths,
            audit,
            read_job,
        )
        from muntin.audit.report import (  # noqa: PLC0415 - it needs extras
            document,
            report_lines,
            transcript,
        )
        from muntin.audit.rule_search import TRIALS  # noqa: PLC0415 - it needs extras
    except ModuleNotFoundError as missing:
        raise MuntinError(
            f"an audit needs {missing.name}, which is not installed: pip install 'muntin[kernels]'"
        ) from missing
    names = ("time", "key", "value", "start", "end", "window_key")
    columns = {name: getattr(arguments, name) for name in names}
    paths = JobPaths(arguments.rows, arguments.windows, **columns, window_value=arguments.result)
    job = read_job(paths, arguments.window, arguments.aggregate)
    if not job.rows.time.size or not job.emitted.key.size:
        say(f"{job.rows.time.size} rows, {job.emitted.key.size} windows: nothing to compare")
        return UNSUPPORTED
    with ProgressBar("rules and windows", TRIALS) as progress:
        progress.show()
        outcome = audit(job, progress.tick)
    if arguments.json:
        say(json.dumps(document(outcome)))
    else:
        for line in report_lines(outcome, arguments.shown):
            say(line)
    if arguments.out and outcome.trace:
        save(transcript(outcome), arguments.out)
        if not arguments.json:
            say(f"{arguments.out}: the rows around one, with what is specified (a transcript)")
    blames = outcome.blames
    return FAILED if blames.blames or blames.more else OK


def save(written: object, path: Path) -> None:
    """Write a transcript; an error names a file that cannot be written."""
    try:
        path.write_text(json.dumps(written, indent=1) + "\n")
    except OSError as error:
        raise MuntinError(f"{path} cannot be written: {error.strerror}") from error
