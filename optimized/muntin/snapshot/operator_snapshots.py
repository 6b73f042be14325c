"""Snapshot and restore of any operator, and the operators that offer them as methods.

A snapshot is restored into an operator of the same class, configuration and queries, which supplies
the functions: they are not written.
"""

from contextlib import nullcontext
from copy import deepcopy
from types import FunctionType
from typing import ClassVar, NoReturn, Self

from muntin.atomicity import AllOrNothing
from muntin.snapshot.binary_format import Reader, Writer
from muntin.snapshot.decoder import DECODE_ERRORS, decoded_fields
from muntin.snapshot.encoder import capture, reachable_objects
from muntin.snapshot.envelope import (
    FORMAT,
    MAX_BYTES,
    Envelope,
    installed_version,
    pack_envelope,
    unpack_envelope,
)
from muntin.snapshot.errors import SnapshotError, corrupt_snapshot
from muntin.snapshot.external_references import ExternalReferences, description
from muntin.snapshot.object_graph import ObjectGraph
from muntin.snapshot.state_classes import fields_of, qualified_name, set_fields
from muntin.spec.operator import Operator
from muntin.spec.query import Query, Settings


class Persistent(AllOrNothing, Operator):
    """An operator with `snapshot` and `restore` as methods.

    `configuration` names the attributes that are passed to the constructor and never change. They
    may hold functions; like queries they are referred to, not written. An attribute that is a class
    or a function is configuration anyway.
    """

    configuration: ClassVar[tuple[str, ...]] = ()

    def snapshot(self) -> bytes:
        """The root state as bytes."""
        return snapshot(self)

    def restore(self, data: bytes, *, max_bytes: int = MAX_BYTES) -> None:
        """Replace the state by that of a snapshot; after an error the state is unchanged.

        The snapshot must be of the same class and configuration, with the same queries and names,
        and no larger than `max_bytes` when decompressed.
        """
        restore(self, data, max_bytes=max_bytes)

    def __deepcopy__(self, memo: dict[int, object]) -> Self:
        """An operator of the same queries that continues from the same state."""
        self.check_callable()
        twin = type(self).__new__(type(self))
        memo[id(self)] = twin
        vars(twin).update(deepcopy(vars(self), memo))
        return twin

    def __reduce_ex__(self, _: object, /) -> NoReturn:
        """Refuse to be pickled: an operator holds functions of the user's, which pickles cannot."""
        raise TypeError(
            f"a {type(self).__name__} cannot be pickled: write operator.snapshot(), and restore it "
            "into an operator with the same arguments and queries"
        )


def snapshot(operator: Operator) -> bytes:
    """The whole state of an operator; equal states of one process give equal bytes."""
    if isinstance(operator, AllOrNothing):
        operator.check_callable()
    roots = external_references(operator)
    graph = capture(operator, ExternalReferences(roots), header(operator, roots))
    return pack_envelope(Envelope(FORMAT, installed_version(), Writer().write_graph(graph)))


def restore(operator: Operator, data: bytes, *, max_bytes: int = MAX_BYTES) -> None:
    """Replace the state of an operator by that of a snapshot; an error leaves it unchanged."""
    try:
        restore_graph(operator, graph_of(data, max_bytes))
    except DECODE_ERRORS as cause:
        raise corrupt_snapshot(f"its objects cannot be put together ({cause!r})") from cause


def transfer_state(old: Operator, new: Operator) -> None:
    """Copy the state of one operator to another by a snapshot."""
    restore(new, snapshot(old))


def graph_of(data: bytes, max_bytes: int = MAX_BYTES) -> ObjectGraph:
    """The object graph in a snapshot."""
    return Reader(unpack_envelope(data, max_bytes=max_bytes).body).read_graph()


def restore_graph(operator: Operator, graph: ObjectGraph) -> None:
    """Replace the state of an operator by that in an object graph."""
    roots = external_references(operator)
    check_header(dict(graph.header), dict(header(operator, roots)))
    fields = decoded_fields(graph, ExternalReferences(roots), operator)
    expected = fields_of(operator)
    if fields.keys() != expected.keys():
        raise SnapshotError(
            f"{type(operator).__qualname__} has the fields {', '.join(fields)} in the snapshot, "
            f"expected {', '.join(expected)}; restore it with the version that wrote it"
        )
    with operator.replacing_state() if isinstance(operator, AllOrNothing) else nullcontext():
        set_fields(operator, fields)


def external_references(operator: Operator) -> dict[str, object]:
    """The external objects of an operator by name: settings, queries, configuration."""
    roots: dict[str, object] = {}
    names = operator.configuration if isinstance(operator, Persistent) else ()
    for part in reachable_objects(operator):
        if isinstance(part, Settings | Query):
            name = f"query {part.id!r}" if isinstance(part, Query) else "settings"
            if roots.setdefault(name, part) != part:
                raise SnapshotError(
                    f"two different objects of the operator are called {name}; give each its own "
                    "name"
                )
    for name, value in fields_of(operator).items():
        if name in names or isinstance(value, type | FunctionType):
            roots[f"configuration {name!r}"] = value
    return dict(sorted(roots.items()))


def header(operator: Operator, roots: dict[str, object]) -> tuple[tuple[str, str], ...]:
    """Names and descriptions that must be equal in a snapshot and in the restoring operator."""
    descriptions = {
        name: f"{description(root.window)} of {root.aggregate.name}"
        if isinstance(root, Query)
        else description(root)
        for name, root in roots.items()
    }
    return (("operator", qualified_name(type(operator))), *descriptions.items())


def check_header(written: dict[str, str], expected: dict[str, str]) -> None:
    """Refuse a snapshot of another operator, and name the difference."""
    for name in (*expected, *written):
        if written.get(name) != expected.get(name):
            same = "of this class" if name == "operator" else "with the same arguments and queries"
            raise SnapshotError(
                f"the snapshot is of another operator: {name} is {written.get(name, 'none')} in "
                f"it, expected {expected.get(name, 'none')}; restore into an operator {same}"
            )
