"""What a differential run counts, for each contender and in all; counts of parts add up."""

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Self, TypeAlias

from muntin.conformance.transcript.json_reader import JsonNode, load

Wrong: TypeAlias = dict[str, str]
"""A trace on which a contender was wrong: its name, the key, what differs, and the transcript."""

WRONG = ("name", "key", "what", "transcript")
KEPT = 3
"""How many wrong traces of a contender are kept of each part."""

MOST = ("slices",)
"""Counts of which the greatest is kept; the others are added."""


@dataclass
class Tally:
    """Counts by contender, and of the run as a whole under the name that is empty."""

    counts: dict[str, Counter[str]] = field(default_factory=dict[str, "Counter[str]"])
    seconds: dict[str, float] = field(default_factory=dict[str, float])
    refused: dict[str, str] = field(default_factory=dict[str, str])
    wrong: list[Wrong] = field(default_factory=list[Wrong])

    def of(self, name: str = "") -> Counter[str]:
        """Return the counts of a contender, or of the run."""
        return self.counts.setdefault(name, Counter())

    def most(self, name: str, what: str, count: int) -> None:
        """Keep a count if it is the greatest."""
        self.of(name)[what] = max(self.of(name)[what], count)

    def blame(self, wrong: Wrong) -> None:
        """Keep a wrong trace, unless there are enough of this contender."""
        if sum(one["name"] == wrong["name"] for one in self.wrong) < KEPT:
            self.wrong.append(wrong)

    def add(self, other: Self) -> None:
        """Add the counts of another part.

        >>> one, other = Tally(), Tally()
        >>> one.of("spec").update(rows=2, slices=5)
        >>> other.of("spec").update(rows=1, slices=4)
        >>> one.add(other)
        >>> one.of("spec")["rows"], one.of("spec")["slices"]
        (3, 5)
        """
        for name, counts in other.counts.items():
            for what, count in counts.items():
                if what in MOST:
                    self.most(name, what, count)
                else:
                    self.of(name)[what] += count
        for name, seconds in other.seconds.items():
            self.seconds[name] = self.seconds.get(name, 0.0) + seconds
        self.refused |= other.refused
        for wrong in other.wrong:
            self.blame(wrong)

    def written(self) -> str:
        """Return it as JSON.

        >>> tally = Tally()
        >>> tally.of("spec").update(rows=2)
        >>> read(tally.written()) == tally
        True
        """
        return json.dumps(vars(self))


def read(text: str) -> Tally:
    """Return the tally that was written, or say why it is none."""
    members = JsonNode(load(text).value, "the tally").fields(
        ("counts", "seconds", "refused", "wrong")
    )
    counts = {name: _counted(one) for name, one in members["counts"].members().items()}
    seconds = {name: one.number() for name, one in members["seconds"].members().items()}
    wrong = [_texts(one, WRONG) for one in members["wrong"].items()]
    return Tally(counts, seconds, _texts(members["refused"]), wrong)


def _counted(part: JsonNode) -> Counter[str]:
    return Counter({what: count.integer() for what, count in part.members().items()})


def _texts(part: JsonNode, names: Sequence[str] = ()) -> dict[str, str]:
    """Return texts by name: whatever the names are, or these."""
    found = part.fields(names) if names else part.members()
    return {name: one.text() for name, one in found.items()}
