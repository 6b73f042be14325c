"""Lines of output about windows of many types at once, each of which was computed in one go."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from muntin.kernels.slicing.answer import Answer
from muntin.kernels.slicing.arrays import Ints
from muntin.kernels.slicing.known import Told


@dataclass(frozen=True)
class ToldOfMany(Told):
    """Lines, which of the window types each is about, and who asks for which of the values."""

    which: Ints
    asked: Sequence[Mapping[str, str]]  # for each window type, the form that each query asks for

    def each(self) -> Iterator[tuple[str, Told]]:
        """Yield the lines of each query."""
        order = np.argsort(self.which, kind="stable")
        ends = np.searchsorted(self.which[order], np.arange(len(self.asked) + 1))
        for nth, queries in enumerate(self.asked):
            at = order[ends[nth] : ends[nth + 1]]
            for name, form in queries.items() if at.size else ():
                yield name, self._picked(at, self.values[form])

    def _picked(self, at: Ints, answer: Answer) -> Told:
        columns = (self.kind, self.key, self.start, self.end, self.revision, self.birth)
        kind, key, start, end, revision, birth = (column[at] for column in columns)
        return Told(kind, key, start, end, revision, birth, {"": answer.picked(at)})
