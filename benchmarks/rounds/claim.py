"""What must hold, with the figures that say whether it does."""

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True)
class Claim:
    """A sentence, whether it holds, and the figures that say so."""

    holds: bool
    sentence: str
    figures: str


def verdicts(claims: Iterable[Claim]) -> list[str]:
    """Return a line for each claim."""
    return [f"{'PASS' if c.holds else 'FAIL'}  {c.sentence}: {c.figures}" for c in claims]
