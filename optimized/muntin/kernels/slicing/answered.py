"""What a step answers, as columns: for each query the windows that came, changed or went."""

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from muntin.kernels.slicing.answer import Answer, joined
from muntin.kernels.slicing.arrays import LAST, Ints, clock, column_of, ints, within
from muntin.kernels.slicing.batch import objects
from muntin.kernels.slicing.known import KINDS, Told, ToldLines
from muntin.spec.errors import InvalidInputError
from muntin.spec.query import Result


class Lines(NamedTuple):
    """The lines of one query, those of a key in the order of rule 11: columns of equal length.

    `kind` is 0, 1 or 2 for retracted, new and updated; `key` numbers the keys in `keys`.
    """

    kind: Ints
    key: Ints
    start: Ints
    end: Ints
    value: Answer
    revision: Ints

    def picked(self, places: Ints) -> "Lines":
        """Return the lines at some places."""
        kind, key, start, end, value, revision = self
        bounds = kind[places], key[places], start[places], end[places]
        return Lines(*bounds, value.picked(places), revision[places])


def aligned(queries: Mapping[str, Lines]) -> Mapping[str, Lines]:
    """Lines of queries over the same windows, at the same places for all of them.

    Each query orders the lines of a key, and the keys as it likes (rule 11).
    """
    if not queries:
        return queries
    first, *others = (lines[:4] for lines in queries.values())
    if all(all(map(np.array_equal, first, other)) for other in others):
        return queries
    return {
        name: lines.picked(np.lexsort((lines.key, lines.start, lines.end, lines.kind > 0)))
        for name, lines in queries.items()
    }


@dataclass(frozen=True)
class Answered:
    """The output of a step, and the places in the batch of what came too late.

    What queries say that have no form over columns is in `plain`, in the order of rule 11.
    """

    told: Sequence[ToldLines]
    late: Ints
    queries: Sequence[str]
    keys: Callable[[int], Hashable]
    number: Callable[[Hashable], int]
    plain: Sequence[Result] = ()

    def __len__(self) -> int:
        """Return how many windows were told of, over all queries."""
        return sum(len(block) for block in self.told) + len(self.plain)

    def of(self, query: str) -> Lines | None:
        """Return the lines of a query, None if there are none."""
        if query not in self.queries:
            raise InvalidInputError(f"there is no query {query!r}; there are {self.queries}")
        return self.by_query().get(query)

    def by_query(self) -> Mapping[str, Lines]:
        """Return the lines of each query that has any."""
        found: dict[str, list[Told]] = {}
        for block in self.told:
            for name, lines in block.each():
                found.setdefault(name, []).append(lines)
        plain: dict[str, list[Result]] = {}
        for result in self.plain:
            plain.setdefault(result.query, []).append(result)
        return {
            name: _ordered(found[name]) if name in found else self._of_plain(plain[name])
            for name in self.queries
            if name in found or name in plain
        }

    def _of_plain(self, results: Sequence[Result]) -> Lines:
        """Return results as columns; an end that is END is LAST."""
        kinds, key = [KINDS.index(r.kind) for r in results], [self.number(r.key) for r in results]
        start = [
            within(r.start, f"the start of a window of {r.query!r}", 2 * LAST) for r in results
        ]
        end = [clock(r.end, f"the end of a window of {r.query!r}") for r in results]
        value = Answer((column_of(objects([r.value for r in results])),))
        revision = ints([r.revision for r in results])
        return Lines(ints(kinds), ints(key), ints(start), ints(end), value, revision)

    def results(self) -> tuple[Result, ...]:
        """Return all results, those of a key in the order of rule 11."""
        nth = {name: i for i, name in enumerate(self.queries)}
        lines = list[tuple[tuple[bool, float, int, int, int], Result]]()
        for block in self.told:
            for name, one in block.each():
                columns = (one.kind, one.end, one.start, one.birth, one.key, one.revision)
                rows = zip(*(column.tolist() for column in columns), strict=True)
                values = one.values[""].objects().tolist()
                for (kind, end, start, birth, key, n), value in zip(rows, values, strict=True):
                    result = Result(name, self.keys(key), start, end, value, KINDS[kind], n)
                    lines.append(((kind > 0, end, start, nth[name], birth), result))
        lines += [
            ((one.kind != "retracted", one.end, one.start, nth[one.query], at), one)
            for at, one in enumerate(self.plain)
        ]
        return tuple(result for _, result in sorted(lines, key=lambda line: line[0]))


def _ordered(blocks: Sequence[Told]) -> Lines:
    columns = [
        np.concatenate([getattr(block, name) for block in blocks])
        for name in ("birth", "start", "end", "kind", "key", "revision")
    ]
    birth, start, end, kind, key, revision = columns
    value = joined([block.values[""] for block in blocks])
    lines = Lines(kind, key, start, end, value, revision)
    if rises(kind, end, start, birth):
        return lines
    return lines.picked(np.lexsort((birth, start, end, kind > 0)))


def rises(kind: Ints, end: Ints, start: Ints, birth: Ints) -> bool:
    """Whether lines are in the order of rule 11: retractions, then by end, start and birth."""
    sorted_so_far = np.ones(max(kind.size - 1, 0), np.bool_)
    for column in (birth, start, end, kind > 0):
        before, after = column[:-1], column[1:]
        sorted_so_far = (before < after) | (sorted_so_far & (before == after))
    return bool(sorted_so_far.all())
