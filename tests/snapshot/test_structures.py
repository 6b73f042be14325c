"""Structures are encoded and decoded too: the state of an operator may hold any of them."""

from random import Random

import pytest

from muntin.optimized.btree.fiba import Fiba
from muntin.registry.implementations import STRUCTURES, StructureEntry
from muntin.snapshot.binary_format import Reader, Writer
from muntin.snapshot.decoder import decoded_fields
from muntin.snapshot.encoder import capture, reachable_objects
from muntin.snapshot.external_references import ExternalReferences
from muntin.snapshot.state_classes import set_fields
from muntin.spec.algebra.monoid import FREE, Monoid, Word
from muntin.spec.errors import UnsupportedError
from muntin.spec.structure import OutOfOrder

OWN = Monoid[Word]((), lambda a, b: a + b, FREE.invert, FREE.invert_first)
"""A monoid that is no constant of a module: an external object on both sides."""


def transfer(old: OutOfOrder[Word], new: OutOfOrder[Word]) -> bytes:
    """Copy the state of a structure to another one; the bytes in between."""
    references = ExternalReferences({"monoid": OWN})
    data = Writer().write_graph(capture(old, references))
    set_fields(new, decoded_fields(Reader(data).read_graph(), references, new))
    return data


def work(structure: OutOfOrder[Word], rng: Random, first: int, number: int) -> list[object]:
    """Insert, evict and query in order, which every structure supports; the answers."""
    answers: list[object] = []
    for time in range(first, first + number):
        structure.insert(time, (time,))
        oldest = structure.oldest()
        if rng.random() < 0.4 and oldest is not None:
            structure.evict(oldest)
        answers.append((structure.query(), len(structure), list(structure.items())))
    return answers


@pytest.mark.parametrize("entry", STRUCTURES, ids=lambda entry: entry.name)
@pytest.mark.parametrize("before", [0, 1, 60])
def test_a_restored_structure_continues_equally(entry: StructureEntry, before: int) -> None:
    old, new = entry.build(OWN), entry.build(OWN)
    work(old, Random(1), 0, before)  # noqa: S311 - it need not be secret
    data = transfer(old, new)
    assert transfer(new, entry.build(OWN)) == data
    shared = {id(one) for one in reachable_objects(old)} & {
        id(one) for one in reachable_objects(new)
    }
    assert [one for one in reachable_objects(new) if id(one) in shared and type(one) is list] == []
    answers = work(new, Random(2), before, 60)  # noqa: S311 - the same
    assert answers == work(old, Random(2), before, 60)  # noqa: S311 - the same
    pairs = list(new.items())
    assert [fact for fact, holds in new.invariants(pairs) if not holds] == []


def test_a_tree_with_parents_comes_back_out_of_order() -> None:
    """Nodes refer to their parents, and lazily computed parts are as they were."""
    rng, old, new = Random(5), Fiba(OWN), Fiba(OWN)  # noqa: S311 - it need not be secret
    for time in rng.sample(range(5000), 2000):
        old.insert(time, (time,))
    transfer(old, new)
    old.bulk_evict(1000)
    new.bulk_evict(1000)
    for time in range(1001, 5000, 37):
        new.evict(time)
        old.evict(time)
    assert new.query() == old.query()
    assert [fact for fact, holds in new.invariants(list(new.items())) if not holds] == []


def test_a_structure_that_refuses_does_so_when_restored() -> None:
    (fifo,) = (one.build(OWN) for one in STRUCTURES if one.name == "daba")
    work(fifo, Random(1), 0, 9)  # noqa: S311 - it need not be secret
    (other,) = (one.build(OWN) for one in STRUCTURES if one.name == "daba")
    transfer(fifo, other)
    with pytest.raises(UnsupportedError):
        other.insert(3, (3,))
