"""Each cohort orders keys as it accepts them: every short history."""

from collections.abc import Hashable, Iterator
from itertools import combinations, product
from typing import NamedTuple

from muntin.optimized.scotty.key_order import Cohort, KeyOrder
from muntin.spec.stream import END, Event

FIRST, LATER = Cohort(-END, None), Cohort(0, "later")


class KeyEvent(NamedTuple):
    """An event of a key, which is on time or late, and which the later cohort may reject."""

    key: str
    time: int
    on_time: bool
    rejected: bool = False


EVENTS = [
    deed
    for key in "ab"
    for deed in (
        KeyEvent(key, 0, on_time=True),
        KeyEvent(key, 1, on_time=True),
        KeyEvent(key, 1, on_time=True, rejected=True),
        KeyEvent(key, 0, on_time=False),
    )
]
ACTIONS: list[KeyEvent | str] = [*EVENTS, "add", "remove"]


class CohortModel:
    """For each cohort, the keys that it has accepted, in order."""

    def __init__(self) -> None:
        self.accepted_keys: dict[Cohort, list[Hashable]] = {FIRST: []}

    def accept(self, action: KeyEvent) -> None:
        for cohort, keys in self.accepted_keys.items():
            rejected = action.rejected and cohort is LATER
            if action.time > cohort.since and not rejected and action.key not in keys:
                keys.append(action.key)


def histories(length: int) -> Iterator[tuple[KeyEvent | str, ...]]:
    """Histories in which the later cohort is added once at most, and removed after that."""
    for actions in product(ACTIONS, repeat=length):
        query_changes = [action for action in actions if not isinstance(action, KeyEvent)]
        if query_changes in ([], ["add"], ["add", "remove"]):
            yield actions


def act(key_order: KeyOrder, model: CohortModel, action: KeyEvent | str) -> None:
    if isinstance(action, KeyEvent):
        event = Event(action.time, 0, action.key)
        if action.on_time:
            key_order.record_key(event, {"later"} if action.rejected else set())
            model.accept(action)
        key_order.record_latest_event(event)
    elif action == "add":
        key_order.add(LATER)
        model.accepted_keys[LATER] = []
    else:
        key_order.remove(LATER)
        del model.accepted_keys[LATER]


def test_every_cohort_orders_keys_as_it_accepts_them() -> None:
    compared = 0
    for actions in histories(4):
        key_order, model = KeyOrder(), CohortModel()
        key_order.add(FIRST)
        for action in actions:
            act(key_order, model, action)
        for cohort, keys in model.accepted_keys.items():
            for earlier, later in combinations(keys, 2):
                assert key_order.position(cohort, earlier) < key_order.position(cohort, later), (
                    actions
                )
                compared += 1
    assert compared > 1000
