"""The options that the scripts share: a quick run, and the folder of the page and its charts."""

import argparse
from pathlib import Path
from typing import NamedTuple

DOCS = Path(__file__).parents[2] / "docs"


class BenchmarkOptions(NamedTuple):
    """Whether the run is quick, and the folder to write to; a quick run writes nothing."""

    quick: bool
    out: Path | None


def parse_options(arguments: list[str] | None, description: str, quick: str) -> BenchmarkOptions:
    """Parse a command line; `quick` says what a quick run measures."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--quick", action="store_true", help=f"{quick}; writes nothing")
    parser.add_argument("--out", type=Path, help="folder of the page and images/; else docs/")
    options = parser.parse_args(arguments)
    return BenchmarkOptions(options.quick, options.out or (None if options.quick else DOCS))
