"""A transfer of state that trusts no snapshot: it checks what is shared, and the result."""

from collections import Counter
from dataclasses import dataclass, field

from muntin.conformance.machines.random_choices import Letter
from muntin.registry.implementations import TransferState
from muntin.snapshot import register_value, snapshot
from muntin.snapshot.containers import MUTABLE
from muntin.snapshot.encoder import reachable_objects
from muntin.snapshot.external_references import ExternalReferences
from muntin.snapshot.operator_snapshots import external_references
from muntin.snapshot.state_classes import class_info, fields_of
from muntin.spec.operator import Operator


def _split(letter: Letter) -> tuple[int, int]:
    return int(letter), letter.letter


def _joined(parts: tuple[int, int]) -> Letter:
    return Letter(*parts)


register_value(Letter, "letter", _split, _joined)


def mutable_objects(operator: Operator) -> dict[int, object]:
    """The objects that a step may change, by identity; without external references."""
    references = ExternalReferences(external_references(operator))
    objects = (item for item in reachable_objects(operator) if references.path(item) is None)
    return {id(item): item for item in objects if type(item) in MUTABLE or is_instance(item)}


def is_instance(item: object) -> bool:
    """Whether an object is an instance of a state class with mutable fields."""
    return class_info(type(item)).is_state and not isinstance(item, tuple) and bool(fields_of(item))


@dataclass
class TransferAudit:
    """Transfers state, and checks that nothing is shared, lost or added; counts its runs."""

    transfer: TransferState
    seen: Counter[str] = field(default_factory=Counter[str])

    def __call__(self, old: Operator, new: Operator) -> None:
        """Transfer the state of an operator to a new one."""
        before = snapshot(old)
        self.transfer(old, new)
        assert snapshot(old) == before, "a snapshot changes nothing"
        assert snapshot(new) == before, "what is restored is what was written"
        mine, theirs = mutable_objects(old), mutable_objects(new)
        assert not mine.keys() & theirs.keys(), "what changes is not shared"
        assert len(mine) == len(theirs)
        self.seen["transferred"] += 1
        self.seen["with state"] += len(mine) > MIN_OBJECTS


MIN_OBJECTS = 10
