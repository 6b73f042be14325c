"""A batch: the events of a step as columns, in the order of arrival."""

from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import NamedTuple, TypeAlias

import numpy as np

from muntin.kernels.slicing.arrays import (
    FARTHEST,
    FIRST,
    LAST,
    LONGEST,
    Column,
    Flags,
    Ints,
    Objects,
    Which,
    column_of,
    ints,
    within,
)
from muntin.kernels.slicing.over import field, is_record, is_row
from muntin.spec.errors import UnsupportedError
from muntin.spec.stream import Event

Source: TypeAlias = str | int | None
"""Where the values of a column come from: a field of each value, by name or place, or all of it."""


class Values(NamedTuple):
    """A column of values, and which of them are there; None if all are."""

    data: Column
    valid: Flags | None = None

    def picked(self, which: Which) -> "Values":
        """Return some values."""
        return Values(self.data[which], None if self.valid is None else self.valid[which])


@dataclass(frozen=True)
class Batch:
    """Times, key ids, own gaps (or 0), marks (1 at a punctuation), arrival numbers, values.

    The arrival numbers are those of `places` in a batch whose first event has the number `begin`.
    """

    time: Ints
    key: Ints
    own: Ints
    mark: Ints
    columns: Mapping[Source, Values]
    events: Callable[[], Objects]
    begin: int
    places: Ints | None = None

    def __len__(self) -> int:
        """Return the number of events."""
        return self.time.size

    @property
    def arrival(self) -> Ints:
        """The arrival numbers."""
        places = np.arange(len(self)) if self.places is None else self.places
        return places + self.begin

    @cached_property
    def least(self) -> int:
        """The least time, LAST if there is none."""
        return int(self.time.min(initial=LAST))

    @cached_property
    def most(self) -> int:
        """The greatest time, FIRST if there is none."""
        return int(self.time.max(initial=FIRST))

    def picked(self, which: Flags) -> "Batch":
        """Return some of the events."""
        return Batch(
            self.time[which],
            self.key[which],
            self.own[which],
            self.mark[which],
            {source: values.picked(which) for source, values in self.columns.items()},
            lambda: self.events()[which],
            self.begin,
            np.flatnonzero(which) if self.places is None else self.places[which],
        )

    def keyed(self, key: Ints) -> "Batch":
        """Return the batch with these key ids; its times are not looked at again."""
        time, own, mark, columns = self.time, self.own, self.mark, self.columns
        keyed = Batch(time, key, own, mark, columns, self.events, self.begin, self.places)
        vars(keyed).update(least=self.least, most=self.most)
        return keyed


def of_events(
    events: Sequence[Event],
    arrivals: int,
    sources: Sequence[Source],
    of_numbers: Container[Source] | None = None,
) -> Batch:
    """Return events as columns: all of numbers, or only some, and the others of whatever comes."""
    time = ints([within(one.time, "the time of an event", FARTHEST) for one in events])
    gaps = (within(one.gap or 0, f"the gap of the event at {one.time}", LONGEST) for one in events)
    return Batch(
        time,
        np.zeros_like(time),
        ints(list(gaps)),
        ints([one.punctuation for one in events]),
        {
            s: column_of_items([_field(one, s) for one in events])
            if of_numbers is not None and s not in of_numbers
            else numbers([_field(one, s) for one in events], "a value")
            for s in sources
        },
        partial(objects, events),
        arrivals,
    )


def objects(items: Sequence[object]) -> Objects:
    """Return objects as an array, which looks into none of them."""
    return np.fromiter(items, np.object_, len(items))


def _field(event: Event, source: Source) -> object:
    value = event.value
    if source is None or value is None:
        return value
    if isinstance(source, str) and is_record(value):
        return field(value, source)
    if isinstance(source, int) and is_row(value) and source < len(value):
        return value[source]
    raise UnsupportedError(f"{event} has no field {source!r} to make a column of")


def column_of_items(values: Sequence[object]) -> Values:
    """Return numbers as a column of these, and else values of any type."""
    try:
        return numbers(values, "a value")
    except UnsupportedError:
        return any_values(values)


def any_values(values: Sequence[object]) -> Values:
    """Return values of any type as a column; None is not there."""
    valid = np.array([value is not None for value in values], np.bool_)
    return Values(column_of(objects(values)), None if valid.all() else valid)


def numbers(values: Sequence[object], what: str) -> Values:
    """Return numbers as a column of integers if all are, else of floats; None is not there."""
    for value in values:
        if value is not None and (isinstance(value, bool) or not isinstance(value, int | float)):
            kind = type(value).__name__
            raise UnsupportedError(f"{what} is {value!r} ({kind}), which is no number of a column")
    missing = np.array([value is None for value in values], np.bool_)
    filled = [0 if value is None else value for value in values]
    whole = all(isinstance(value, int) for value in filled)
    valid = ~missing if missing.any() else None
    return Values(_integers(filled) if whole else _floats(filled, what), valid)


def _floats(values: list[object], what: str) -> Column:
    """Return numbers as floats, if none is an integer beyond all floats."""
    try:
        return np.array(values, np.float64)
    except OverflowError as cause:
        raise UnsupportedError(
            f"{what} is an integer beyond all floats, beside floats in one column"
        ) from cause


def _integers(values: list[object]) -> Column:
    """Return integers of 64 bits, or of any size if some do not fit."""
    try:
        return column_of(np.array(values, np.int64))
    except OverflowError:
        return column_of(objects(values))
