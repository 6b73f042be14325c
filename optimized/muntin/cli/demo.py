"""`muntin demo`: a real stream out of order, through the specification and all else."""

from argparse import ArgumentTypeError, Namespace

from muntin.cli.command import Subparsers
from muntin.cli.demo_stream import DemoStream
from muntin.cli.lookup import ALL, known
from muntin.conformance.flights import departures
from muntin.spec.errors import MuntinError, positive


def add_parser(commands: Subparsers) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "demo",
        help="replay a real out-of-order stream through everything, and compare",
        description="Replay departures from New York, in the order in which they landed, through "
        "the specification, every operator and every structure. Print some results, who agrees, "
        "and what it cost. Exit with 1 if any answer differs from the specification's.",
    )
    parser.add_argument(
        "--events", type=_number, default=2000, metavar="N", help="departures (default: 2000)"
    )
    parser.add_argument(
        "--batch", type=_number, default=50, metavar="N", help="events a step (default: 50)"
    )
    parser.add_argument(
        "--with",
        dest="names",
        nargs="+",
        default=[ALL],
        metavar="NAME",
        help="operators and structures to compare (default: all; see `muntin list`)",
    )
    parser.set_defaults(run=run)


def _number(text: str) -> int:
    try:
        return positive(int(text), "it")
    except ValueError as error:
        message = f"must be an integer greater than 0, not {text!r}"
        raise ArgumentTypeError(message) from error


def run(arguments: Namespace) -> int:
    """Run the command, and return 1 if anything disagrees with the specification."""
    try:
        from muntin.cli.demo_report import report  # noqa: PLC0415 - it needs an extra, rich
    except ModuleNotFoundError as missing:
        raise MuntinError(
            f"the demo needs {missing.name}, which is not installed: "
            "pip install 'muntin[cli,flights]'"
        ) from missing
    chosen: list[str] = arguments.names
    events: int = arguments.events
    batch: int = arguments.batch
    return report(DemoStream(departures(events), batch), {known(name) for name in chosen})
