"""What a key costs forever: its last event, which a query that is added later misses (rule 13)."""

import gc
import tracemalloc

from muntin.conformance.machines.random_choices import BAGS, Letter
from muntin.optimized.scotty.operator import Scotty
from muntin.spec.query import Query
from muntin.spec.stream import Event
from muntin.spec.windows.periodic import tumbling

KEYS, BATCH = 20_000, 1_000
BYTES = 150


def test_an_idle_key_costs_few_bytes() -> None:
    operator, value, keys = Scotty(), Letter(0, 1), range(KEYS)
    operator.add(Query("tens", tumbling(10), BAGS))
    gc.collect()
    tracemalloc.start()
    for first in keys[::BATCH]:
        operator.step([Event(key, value, key) for key in keys[first : first + BATCH]], first)
    operator.step([], KEYS + 10)
    gc.collect()
    bytes_a_key = tracemalloc.get_traced_memory()[0] / KEYS
    tracemalloc.stop()
    assert bytes_a_key < BYTES
