"""What a differential run counts, in total and by implementation, and its outcome."""

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Self, TypeAlias

from muntin.conformance.transcript.json_reader import JsonNode, load
from muntin.differential.plan import NATIVE

if TYPE_CHECKING:
    from muntin.differential.run import SourceOutcome
    from muntin.differential.spark.native_streams import StreamOutcome

WrongTrace: TypeAlias = dict[str, str]
"""A trace on which an implementation was wrong, by WRONG_TRACE_FIELDS: `what` is the difference."""

WRONG_TRACE_FIELDS = ("name", "key", "what", "transcript")
MAX_WRONG_TRACES = 3
"""Wrong traces to keep of each implementation, in each part of a run."""

COMPILING = "compiling "
"""Before the name of an implementation: the seconds that it compiled."""

MAXIMA = ("slices",)
"""Counts that merge by their maximum; all others are added."""


@dataclass
class Tally:
    """Counts by implementation; the empty name stands for the run as a whole."""

    counts: dict[str, Counter[str]] = field(default_factory=dict[str, "Counter[str]"])
    seconds: dict[str, float] = field(default_factory=dict[str, float])
    refused: dict[str, str] = field(default_factory=dict[str, str])
    wrong: list[WrongTrace] = field(default_factory=list[WrongTrace])

    def counter(self, name: str = "") -> Counter[str]:
        """The counts of an implementation, or of the run."""
        return self.counts.setdefault(name, Counter())

    def update_max(self, name: str, what: str, count: int) -> None:
        """Raise a maximum to this count."""
        self.counter(name)[what] = max(self.counter(name)[what], count)

    def add_wrong(self, trace: WrongTrace) -> None:
        """Keep a wrong trace, up to MAX_WRONG_TRACES of its implementation."""
        if sum(kept["name"] == trace["name"] for kept in self.wrong) < MAX_WRONG_TRACES:
            self.wrong.append(trace)

    def add(self, other: Self) -> None:
        """Merge the tally of another part.

        >>> total, part = Tally(), Tally()
        >>> total.counter("spec").update(rows=2, slices=5)
        >>> part.counter("spec").update(rows=1, slices=4)
        >>> total.add(part)
        >>> total.counter("spec")["rows"], total.counter("spec")["slices"]
        (3, 5)
        """
        for name, counts in other.counts.items():
            for what, count in counts.items():
                if what in MAXIMA:
                    self.update_max(name, what, count)
                else:
                    self.counter(name)[what] += count
        for name, seconds in other.seconds.items():
            self.seconds[name] = self.seconds.get(name, 0.0) + seconds
        self.refused |= other.refused
        for trace in other.wrong:
            self.add_wrong(trace)

    def to_json(self) -> str:
        """The tally as executors and journals write it.

        >>> tally = Tally()
        >>> tally.counter("spec").update(rows=2)
        >>> tally_from_json(tally.to_json()) == tally
        True
        """
        return json.dumps(vars(self))


def tally_from_json(text: str) -> Tally:
    """A tally that `to_json` wrote; other text is an error that names the place."""
    node = JsonNode(load(text).value, "the tally")
    members = node.fields(("counts", "seconds", "refused", "wrong"))
    counts = {
        name: Counter({what: count.integer() for what, count in node.members().items()})
        for name, node in members["counts"].members().items()
    }
    seconds = {name: node.number() for name, node in members["seconds"].members().items()}
    wrong = [_texts_at(node, WRONG_TRACE_FIELDS) for node in members["wrong"].items()]
    return Tally(counts, seconds, _texts_at(members["refused"]), wrong)


def _texts_at(node: JsonNode, names: Sequence[str] = ()) -> dict[str, str]:
    """Texts by name, with exactly these names if any are given."""
    members = node.fields(names) if names else node.members()
    return {name: member.text() for name, member in members.items()}


@dataclass(frozen=True)
class DiffOutcome:
    """The implementations that are wrong, and the sources without two answers to compare."""

    wrong: tuple[str, ...]
    uncompared: tuple[str, ...]

    @property
    def agrees(self) -> bool:
        """Whether something was compared of every source, and no implementation is wrong."""
        return not self.wrong and not self.uncompared

    @property
    def title(self) -> str:
        """The outcome in a word or two."""
        return "wrong" if self.wrong else "nothing compared" if self.uncompared else "all agree"

    def __str__(self) -> str:
        """The outcome in a sentence."""
        sentences = [f"Wrong: {', '.join(self.wrong)}."] if self.wrong else []
        sentences += [f"NOTHING WAS COMPARED of the rows {name}." for name in self.uncompared]
        return " ".join(sentences) or "Everything agrees."


def outcome_of(
    sources: Sequence["SourceOutcome"], streams: Sequence["StreamOutcome"] = ()
) -> DiffOutcome:
    """The outcome of a run, from those of its sources and streams."""
    wrong = {mismatch.name for outcome in sources for mismatch in outcome.mismatches}
    wrong |= {f"{NATIVE} in a stream" for outcome in streams if outcome.wrong}
    uncompared = [outcome.source.name for outcome in sources if not is_compared(outcome)]
    return DiffOutcome(tuple(sorted(wrong)), tuple(uncompared))


def is_compared(outcome: "SourceOutcome") -> bool:
    """Whether at least two implementations answered some of the rows."""
    rows = [counts["rows"] for name, counts in outcome.tally.counts.items() if name]
    return sum(count > 0 for count in rows) > 1
