"""What a key costs forever: its last event (rule 13), and its place among keys (rule 11)."""

import gc
import tracemalloc

from muntin.conformance.machines.random_choices import BAGS, Letter
from muntin.optimized.scotty.key_order import Cohort, KeyOrder
from muntin.optimized.scotty.operator import Scotty
from muntin.spec.dialect import Dialect
from muntin.spec.query import Query, Settings
from muntin.spec.stream import END, Event
from muntin.spec.windows.periodic import tumbling

KEYS = 100_000
BYTES = 230


def test_an_idle_key_costs_few_bytes() -> None:
    key_order, keys, value = KeyOrder(), list(range(KEYS)), Letter(0, 1)
    key_order.add(Cohort(-END, None))
    gc.collect()
    tracemalloc.start()
    for key in keys:
        event = Event(key, value, key)
        key_order.record_key(event, set())
        key_order.record_latest_event(event)
    bytes_a_key = tracemalloc.get_traced_memory()[0] / KEYS
    tracemalloc.stop()
    assert bytes_a_key < BYTES


def test_keys_new_to_a_later_query_wait_for_it_and_for_no_other() -> None:
    operator = Scotty(Settings(dialect=Dialect(lateness="window")))
    operator.add(Query("first", tumbling(5), BAGS))
    operator.step([Event(time, Letter(0, time), key) for time, key in enumerate("abc")], 9)
    operator.add(Query("second", tumbling(5), BAGS))
    operator.add(Query("third", tumbling(5), BAGS))
    operator.remove("second")
    output = operator.step([Event(12, Letter(0, 9), key) for key in "cab"], 40)
    order = [(result.query, result.key) for result in output.results]
    assert order == [*(("first", key) for key in "abc"), *(("third", key) for key in "cab")]
