"""A carry that trusts no snapshot: it looks at what is shared, and at what it has made."""

from collections import Counter
from dataclasses import dataclass, field

from muntin.conformance.machines.strategies import Letter
from muntin.registry.implementations import TransferState
from muntin.snapshot import register_value, snapshot
from muntin.snapshot.containers import CHANGING
from muntin.snapshot.encoder import reachable
from muntin.snapshot.external_references import ExternalReferences
from muntin.snapshot.operator_snapshots import external_references
from muntin.snapshot.state_classes import facts, fields_of
from muntin.spec.operator import Operator


def _split(letter: Letter) -> tuple[int, int]:
    return int(letter), letter.letter


def _joined(parts: tuple[int, int]) -> Letter:
    return Letter(*parts)


register_value(Letter, "letter", _split, _joined)


def changeable(operator: Operator) -> dict[int, object]:
    """Return what a step may change, by identity: containers and instances, unless given."""
    given = ExternalReferences(external_references(operator))
    held = (one for one in reachable(operator) if given.path(one) is None)
    return {id(one): one for one in held if type(one) in CHANGING or is_instance(one)}


def is_instance(one: object) -> bool:
    """Whether something is an instance of a class of states, and has fields to be set."""
    return facts(type(one)).state and not isinstance(one, tuple) and bool(fields_of(one))


@dataclass
class Audit:
    """Carries over, and checks that nothing is shared, lost or added; counts what it has seen."""

    carry: TransferState
    seen: Counter[str] = field(default_factory=Counter[str])

    def __call__(self, old: Operator, new: Operator) -> None:
        """Let a new operator go on where an old one is."""
        before = snapshot(old)
        self.carry(old, new)
        assert snapshot(old) == before, "a snapshot changes nothing"
        assert snapshot(new) == before, "what is restored is what was written"
        mine, theirs = changeable(old), changeable(new)
        assert not mine.keys() & theirs.keys(), "what changes is not shared"
        assert len(mine) == len(theirs)
        self.seen["carried"] += 1
        self.seen["with state"] += len(mine) > SOME_STATE


SOME_STATE = 10
