"""The options of the benchmark of columns."""

import argparse
from pathlib import Path
from typing import NamedTuple

from column_windows.engine import ENGINE, OLD_ENGINE, distinct_engines
from rounds.options import DOCS


class ColumnOptions(NamedTuple):
    """What to measure, and the folder to write to; a run of a part writes nothing."""

    engine: str
    against: str
    quick: bool
    only: str
    out: Path | None

    @property
    def paths(self) -> list[str]:
        """The engines, the one in question first."""
        return distinct_engines(self.engine, self.against)


def parse_column_options(arguments: list[str] | None) -> ColumnOptions:
    """Parse a command line."""
    parser = argparse.ArgumentParser(description="Measure windows over columns.")
    parser.add_argument("--engine", default=ENGINE, help="module:Class, else %(default)s")
    parser.add_argument(
        "--against",
        default=OLD_ENGINE,
        help="another engine, in turns; '' for none, else %(default)s",
    )
    parser.add_argument("--quick", action="store_true", help="a small grid; writes nothing")
    parser.add_argument(
        "--only", default="", help="parts of names, '5 windows, 10 keys'; the grid, writes nothing"
    )
    parser.add_argument("--out", type=Path, help="folder of the page and images/; else docs/")
    given = parser.parse_args(arguments)
    out = given.out or (None if given.quick or given.only else DOCS)
    return ColumnOptions(given.engine, given.against, given.quick, given.only, out)
