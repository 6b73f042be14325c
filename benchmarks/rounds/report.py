"""Claims, and parts of the pages in docs/: every number in them is from the run that wrote them."""

import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from os import cpu_count
from pathlib import Path
from platform import machine, python_implementation, python_version, system


@dataclass(frozen=True)
class Claim:
    """A sentence, whether it holds, and the figures that decide it."""

    holds: bool
    sentence: str
    figures: str


def claim_lines(claims: Iterable[Claim]) -> list[str]:
    """A line for each claim, with PASS or FAIL."""
    return [f"{'PASS' if c.holds else 'FAIL'}  {c.sentence}: {c.figures}" for c in claims]


def processor() -> str:
    """The processor's name, as far as the system has it."""
    information = Path("/proc/cpuinfo")
    lines = information.read_text().splitlines() if information.exists() else []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return f"{names[0] if names else machine()}, {cpu_count()} cores"


def head(title: str, script: str) -> list[str]:
    """The head of a page: the command, the date and the machine that wrote it."""
    today = datetime.now(tz=UTC).date()
    command = " ".join([f"python benchmarks/{script}", *sys.argv[1:]])
    python = f"{python_implementation()} {python_version()}"
    run = f"Written by `{command}` on {today}, {python}, {system()}, {processor()}. Do not edit."
    return [f"# {title}", "", run, ""]


def table(head: list[str], rows: Iterable[list[str]], right: int = 0) -> Iterator[str]:
    """Yield the lines of a table; columns from `right` on are numbers, if that is not 0."""
    rules = ["---:" if right and k >= right else "---" for k in range(len(head))]
    for cells in (head, rules, *rows):
        yield f"| {' | '.join(cells)} |".replace("<", "&lt;")
    yield ""


def plot(name: str, text: str) -> Iterator[str]:
    """Yield the line that shows a picture."""
    yield from (f"![{text}](images/{name}.svg)", "")


def claim_table(claims: Iterable[Claim]) -> Iterator[str]:
    """Yield the table of claims, each with PASS or FAIL."""
    yield from ("## What must hold", "")
    rows = [["PASS" if c.holds else "**FAIL**", c.sentence, c.figures] for c in claims]
    yield from table(["", "claim", "figures"], rows)
