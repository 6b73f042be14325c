"""The order of slices, at any distance of their times, and of events by their slices."""

import numpy as np
from hypothesis import example, given
from hypothesis import strategies as st

from muntin.kernels.slicing.batch import Batch, objects
from muntin.kernels.slicing.cells import by_digits, ordered
from muntin.kernels.slicing.grain import slices
from muntin.spec.windows.data_driven import Session
from muntin.spec.windows.periodic import Band, Cumulate, Landmark, Sliding
from muntin.spec.windows.window import WindowType

SLOTS = st.sampled_from([1, 2**10, 2**30, 2**50, 2**61]).flatmap(lambda n: st.integers(-n, n))
PAIRS = st.lists(st.tuples(st.integers(0, 3) | st.integers(0, 10**5), SLOTS))


@example([(2, 2**62), (0, -(2**62)), (1, 0)], 1)  # keys and slots that 64 bits do not hold
@given(PAIRS, st.sampled_from([1, 1, 7, 1000]))
def test_what_came_first_stays_first(pairs: list[tuple[int, int]], unit: int) -> None:
    key, slot = (np.array([pair[n] for pair in pairs], np.int64) for n in (0, 1))
    slot = slot // (2 * unit) * unit + 3
    assert ordered(key, slot, unit).tolist() == np.lexsort((slot, key)).tolist()


@given(st.lists(st.integers(0, 2**62 - 1)), st.integers(0, 62))
def test_digits_sort_numbers(numbers: list[int], bits: int) -> None:
    code = np.array(numbers, np.int64) >> (62 - bits)
    assert by_digits(code, bits).tolist() == np.argsort(code, kind="stable").tolist()


SMALL = st.integers(1, 60)


def cumulate(steps: int, step: int) -> Cumulate:
    """Cumulate windows of a number of steps."""
    return Cumulate(steps * step, step)


def band(start: int, size: int) -> Band:
    """A band from its start and size."""
    return Band(start, start + size)


EDGES = st.one_of(
    st.builds(Sliding, SMALL, SMALL, st.integers(-60, 60)),
    st.builds(cumulate, SMALL, SMALL),
    st.builds(Landmark, st.integers(-60, 60), SMALL),
    st.builds(band, st.integers(-60, 60), SMALL),
    st.builds(Session, SMALL),
)
EVENTS = st.lists(st.tuples(st.integers(0, 2), st.integers(-200, 200)), min_size=1)


@given(st.lists(EDGES, min_size=1, max_size=3), EVENTS)
def test_events_are_ordered_by_key_and_slice(
    windows: list[WindowType], events: list[tuple[int, int]]
) -> None:
    key, time = (np.array([event[n] for event in events], np.int64) for n in (0, 1))
    grain, none = slices(windows), np.zeros_like(time)
    slot = grain.slots(time)
    assert not ((slot - slot.min()) % grain.unit).any()
    runs = grain.runs(Batch(time, key, none, none, {}, lambda: objects([]), 0))
    assert runs.order.tolist() == np.lexsort((slot, key)).tolist()
    assert len(runs.begins) == len({*zip(key.tolist(), slot.tolist(), strict=True)})
