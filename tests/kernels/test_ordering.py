"""The order of cells, however far apart their times are."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from muntin.kernels.slicing.ordering import by_digits, ordered

SLOTS = st.sampled_from([1, 2**10, 2**30, 2**50, 2**61]).flatmap(lambda n: st.integers(-n, n))
PAIRS = st.lists(st.tuples(st.integers(0, 3) | st.integers(0, 10**5), SLOTS))


@given(PAIRS, st.sampled_from([1, 1, 7, 1000]))
def test_what_came_first_stays_first(pairs: list[tuple[int, int]], unit: int) -> None:
    key, slot = (np.array([pair[n] for pair in pairs], np.int64) for n in (0, 1))
    slot = slot // (2 * unit) * unit + 3
    assert ordered(key, slot, unit).tolist() == np.lexsort((slot, key)).tolist()


@given(st.lists(st.integers(0, 2**62 - 1)), st.integers(0, 62))
def test_digits_sort_numbers(numbers: list[int], bits: int) -> None:
    code = np.array(numbers, np.int64) >> (62 - bits)
    assert by_digits(code, bits).tolist() == np.argsort(code, kind="stable").tolist()
