"""What a run comes to: who is wrong, or that nothing was judged, or that everything agrees."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from muntin.differential.plan import NATIVE

if TYPE_CHECKING:
    from muntin.differential.run import SourceOutcome
    from muntin.differential.streaming import StreamOutcome


@dataclass(frozen=True)
class Verdict:
    """Whose answers are wrong, and the rows on which no two answers were compared."""

    wrong: tuple[str, ...]
    unjudged: tuple[str, ...]

    @property
    def agrees(self) -> bool:
        """Whether there is nothing to complain of."""
        return not self.wrong and not self.unjudged

    @property
    def title(self) -> str:
        """It in a word or two."""
        return "wrong" if self.wrong else "nothing judged" if self.unjudged else "all agree"

    def __str__(self) -> str:
        """Say it."""
        names = ", ".join(self.wrong)
        said = [f"Wrong: {names}."] if self.wrong else []
        said += [f"NOTHING WAS JUDGED of the rows {name}." for name in self.unjudged]
        return " ".join(said) or "Everything agrees."


def verdict(found: Sequence["SourceOutcome"], streams: Sequence["StreamOutcome"] = ()) -> Verdict:
    """Return what a run comes to."""
    wrong = {one.name for each in found for one in each.mismatches}
    wrong |= {f"{NATIVE} in a stream" for one in streams if one.wrong}
    unjudged = [one.source.name for one in found if not compared(one)]
    return Verdict(tuple(sorted(wrong)), tuple(unjudged))


def compared(found: "SourceOutcome") -> bool:
    """Whether two contenders at least answered some of the rows, to be compared."""
    counts = [one["rows"] for name, one in found.tally.counts.items() if name]
    return sum(rows > 0 for rows in counts) > 1
