"""Keys are ranked by each cohort in the order in which it accepts them: every short history."""

from collections.abc import Hashable, Iterator
from itertools import combinations, product
from typing import NamedTuple

from muntin.optimized.scotty.key_order import Cohort, KeyOrder
from muntin.spec.stream import END, Event

FIRST, LATER = Cohort(-END, None), Cohort(0, "later")


class Deed(NamedTuple):
    """An event of a key, which is in time or late, and which the later cohort may refuse."""

    key: str
    time: int
    in_time: bool
    refused: bool = False


EVENTS = [
    deed
    for key in "ab"
    for deed in (
        Deed(key, 0, in_time=True),
        Deed(key, 1, in_time=True),
        Deed(key, 1, in_time=True, refused=True),
        Deed(key, 0, in_time=False),
    )
]
DEEDS: list[Deed | str] = [*EVENTS, "add", "remove"]


class Model:
    """For each cohort, the keys that it has accepted, in order."""

    def __init__(self) -> None:
        self.met: dict[Cohort, list[Hashable]] = {FIRST: []}

    def accept(self, deed: Deed) -> None:
        for cohort, keys in self.met.items():
            refused = deed.refused and cohort is LATER
            if deed.time > cohort.since and not refused and deed.key not in keys:
                keys.append(deed.key)


def histories(length: int) -> Iterator[tuple[Deed | str, ...]]:
    """Yield those in which the later cohort is added once at most, and removed after that."""
    for deeds in product(DEEDS, repeat=length):
        coming = [deed for deed in deeds if not isinstance(deed, Deed)]
        if coming in ([], ["add"], ["add", "remove"]):
            yield deeds


def act(ranks: KeyOrder, model: Model, deed: Deed | str) -> None:
    if isinstance(deed, Deed):
        event = Event(deed.time, 0, deed.key)
        if deed.in_time:
            ranks.record_key(event, {"later"} if deed.refused else set())
            model.accept(deed)
        ranks.record_latest_event(event)
    elif deed == "add":
        ranks.add(LATER)
        model.met[LATER] = []
    else:
        ranks.remove(LATER)
        del model.met[LATER]


def test_every_cohort_orders_keys_as_it_accepts_them() -> None:
    told = 0
    for deeds in histories(4):
        ranks, model = KeyOrder(), Model()
        ranks.add(FIRST)
        for deed in deeds:
            act(ranks, model, deed)
        for cohort, keys in model.met.items():
            for one, other in combinations(keys, 2):
                assert ranks.position(cohort, one) < ranks.position(cohort, other), deeds
                told += 1
    assert told > 1000
