"""The events themselves as a part: whatever the aggregate, it is taken by definition."""

from dataclasses import dataclass

import numpy as np

from muntin.kernels.slicing.answer import Answer
from muntin.kernels.slicing.arrays import Fields, Ints, Objects, column_of
from muntin.kernels.slicing.batch import Batch, Source
from muntin.kernels.slicing.parts import Part
from muntin.kernels.slicing.store import Store
from muntin.spec.query import Query


@dataclass(frozen=True)
class Events(Part):
    """Each event."""

    def lift(self, batch: Batch, /) -> Fields:
        """Return the events."""
        return (column_of(batch.events()),)

    def combine(self, a: Fields, b: Fields, /) -> Fields:
        """Refuse: events are not combined."""
        raise NotImplementedError(a, b)

    def identity(self, fields: Fields, /) -> Fields:
        """Refuse."""
        raise NotImplementedError(fields)


EVENTS = Events(None)


@dataclass(frozen=True)
class Opaque:
    """The form of an aggregate of which nothing is known."""

    query: Query
    parts = (EVENTS,)
    sources = frozenset[Source]()
    holistic = True
    ordered = True

    @property
    def name(self) -> str:
        """The name of the aggregate."""
        return self.query.aggregate.name

    def __call__(self, store: Store, lo: Ints, hi: Ints) -> Answer:
        """Return the values of windows that hold these ranges of cells."""
        objects: Objects = np.asarray(store.parts[EVENTS][0], np.object_)
        values: Objects = np.empty(lo.size, np.object_)
        for i in range(lo.size):
            values[i] = self.query.value(objects[lo[i] : hi[i]].tolist())
        return Answer((column_of(values),))
