"""The values of windows as columns, and which windows have one."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from muntin.kernels.slicing.arrays import Column, Flags, Objects, Which


class Answer(NamedTuple):
    """One column, or several where a value is a tuple; where it is not valid it is None."""

    columns: tuple[Column, ...]
    valid: Flags | None = None

    def picked(self, which: Which) -> "Answer":
        """Return some of the values, by their places or by a mask."""
        columns = tuple(column[which] for column in self.columns)
        return Answer(columns, None if self.valid is None else self.valid[which])

    def objects(self) -> Objects:
        """Return the values as plain objects."""
        lists = [column.tolist() for column in self.columns]
        rows = lists[0] if len(lists) == 1 else list(zip(*lists, strict=True))
        values = np.fromiter(rows, np.object_, len(rows))
        if self.valid is not None:
            values[~self.valid] = None
        return values


def joined(answers: Sequence[Answer]) -> Answer:
    """Return the values of several answers, in their order."""
    each = zip(*(answer.columns for answer in answers), strict=True)
    columns = tuple(np.concatenate(same) for same in each)
    if all(answer.valid is None for answer in answers):
        return Answer(columns)
    flags = [
        np.ones(answer.columns[0].size, np.bool_) if answer.valid is None else answer.valid
        for answer in answers
    ]
    return Answer(columns, np.concatenate(flags))
