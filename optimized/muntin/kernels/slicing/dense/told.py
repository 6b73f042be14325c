"""Lines of output about windows of many types at once, each of which was computed in one go."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from muntin.kernels.slicing.answer import Answer
from muntin.kernels.slicing.arrays import Flags, Ints
from muntin.kernels.slicing.known import Known, Told, places
from muntin.kernels.slicing.view import View


@dataclass(frozen=True)
class ToldOfMany(Told):
    """Lines, which of the window types each is about, and who asks for which of the values."""

    which: Ints
    asked: Sequence[Mapping[str, str]]  # for each window type, the form that each query asks for

    def each(self) -> Iterator[tuple[str, Told]]:
        """Yield the lines of each query."""
        if len(self.asked) == 1:
            for name, form in self.asked[0].items() if len(self) else ():
                yield name, replace(self.plain, values={"": self.values[form]})
            return
        order = np.argsort(self.which, kind="stable")
        ends = np.searchsorted(self.which[order], np.arange(len(self.asked) + 1))
        for nth, queries in enumerate(self.asked):
            at = order[ends[nth] : ends[nth + 1]]
            for name, form in queries.items() if at.size else ():
                yield name, self._picked(at, self.values[form])

    @property
    def plain(self) -> Told:
        """The lines without their window types."""
        columns = (self.kind, self.key, self.start, self.end, self.revision, self.birth)
        return Told(*columns, {})

    def _picked(self, at: Ints, answer: Answer) -> Told:
        columns = (self.kind, self.key, self.start, self.end, self.revision, self.birth)
        kind, key, start, end, revision, birth = (column[at] for column in columns)
        return Told(kind, key, start, end, revision, birth, {"": answer.picked(at)})


def revised(known: Known, view: View, updated: Flags, limit: int) -> tuple[Known, Ints]:
    """Return the windows that have a revision and are not frozen, and that of each window seen."""
    revision = np.zeros(len(view), np.int64)
    again = view.picked(updated)
    at = places(known, again)
    old = at >= 0
    revision[updated] = 1
    if old.any():
        revision[np.flatnonzero(updated)[old]] += known.revision[at[old]]
    rest = np.ones(len(known), np.bool_)
    rest[at[old]] = False
    now = known.picked(rest).followed(known_of(again, revision[updated]))
    return now.picked(now.final_at > limit), revision


def remembered(known: Known, view: View) -> Known:
    """Return the windows seen, with the revisions that are known."""
    at = places(known, view)
    revision = np.zeros(len(view), np.int64)
    revision[at >= 0] = known.revision[at[at >= 0]]
    return known_of(view, revision)


def known_of(view: View, revision: Ints) -> Known:
    """Return windows as they are remembered."""
    none = np.zeros_like(revision)
    return Known(view.key, view.start, view.end, view.settles, none, revision)
