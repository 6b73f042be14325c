"""Snapshot and restore of any operator, and the operators that offer them as methods.

An operator is restored into one that was made alike and asks the same queries: functions are not
written, so that they come from there.
"""

from types import FunctionType
from typing import ClassVar

from muntin.snapshot.binary_format import Reader, Writer
from muntin.snapshot.decoder import DECODE_ERRORS, decoded_fields
from muntin.snapshot.encoder import capture, reachable_objects
from muntin.snapshot.envelope import (
    FORMAT,
    Envelope,
    installed_version,
    pack_envelope,
    unpack_envelope,
)
from muntin.snapshot.errors import SnapshotError
from muntin.snapshot.external_references import ExternalReferences, description
from muntin.snapshot.object_graph import ObjectGraph
from muntin.snapshot.state_classes import fields_of, qualified_name, set_fields
from muntin.spec.operator import Operator
from muntin.spec.query import Query, Settings


class Persistent(Operator):
    """An operator that can be put on disk and taken up again.

    `configuration` names the attributes that whoever makes an operator has given to it, and
    that never change. They may hold functions; like queries they are referred to, not written.
    An attribute that is a class or a function is configuration anyway.
    """

    configuration: ClassVar[tuple[str, ...]] = ()

    def snapshot(self) -> bytes:
        """Return the whole state."""
        return snapshot(self)

    def restore(self, data: bytes) -> None:
        """Go on from a snapshot of an operator that was made alike; or refuse, and stay as it was.

        The same queries must have been added, under the same names.
        """
        restore(self, data)


def snapshot(operator: Operator) -> bytes:
    """Return the whole state of an operator; equal states of one process give equal bytes."""
    roots = external_references(operator)
    tree = capture(operator, ExternalReferences(roots), header(operator, roots))
    return pack_envelope(Envelope(FORMAT, installed_version(), Writer().write_graph(tree)))


def restore(operator: Operator, data: bytes) -> None:
    """Replace the state of an operator by that of a snapshot, or refuse and change nothing."""
    try:
        restore_graph(operator, graph_of(data))
    except DECODE_ERRORS as cause:
        raise SnapshotError(f"the snapshot is damaged: {cause!r}") from cause


def transfer_state(old: Operator, new: Operator) -> None:
    """Let a new operator go on where an old one is, by way of a snapshot."""
    restore(new, snapshot(old))


def graph_of(data: bytes) -> ObjectGraph:
    """Return what a snapshot holds."""
    return Reader(unpack_envelope(data).body).read_graph()


def restore_graph(operator: Operator, tree: ObjectGraph) -> None:
    """Replace the state of an operator by that in a tree."""
    roots = external_references(operator)
    check_header(dict(tree.header), dict(header(operator, roots)))
    fields = decoded_fields(tree, ExternalReferences(roots), operator)
    here = fields_of(operator)
    if fields.keys() != here.keys():
        raise SnapshotError(
            f"{type(operator).__qualname__} has the fields {', '.join(here)} here, but "
            f"{', '.join(fields)} in the snapshot: restore it with the version that wrote it"
        )
    set_fields(operator, fields)


def external_references(operator: Operator) -> dict[str, object]:
    """Return what an operator was given, by name: settings, queries, configuration."""
    roots: dict[str, object] = {}
    names = operator.configuration if isinstance(operator, Persistent) else ()
    for whole in reachable_objects(operator):
        if isinstance(whole, Settings):
            _add_root(roots, "settings", whole)
        if isinstance(whole, Query):
            _add_root(roots, f"query {whole.id!r}", whole)
    for name, value in fields_of(operator).items():
        if name in names or isinstance(value, type | FunctionType):
            roots[f"configuration {name!r}"] = value
    return dict(sorted(roots.items()))


def _add_root(roots: dict[str, object], name: str, whole: object) -> None:
    if roots.setdefault(name, whole) != whole:
        raise SnapshotError(
            f"the operator holds two different things called {name}: give them different names"
        )


def header(operator: Operator, roots: dict[str, object]) -> tuple[tuple[str, str], ...]:
    """Return what must be alike where a snapshot is made and where it is restored."""
    told = {
        name: f"{description(whole.window)} of {whole.aggregate.name}"
        if isinstance(whole, Query)
        else description(whole)
        for name, whole in roots.items()
    }
    return (("operator", qualified_name(type(operator))), *told.items())


def check_header(made: dict[str, str], here: dict[str, str]) -> None:
    """Refuse a snapshot of another operator, and say in what they differ."""
    for name in (*here, *made):
        if made.get(name) != here.get(name):
            remedy = "; restore it into an operator of the class that wrote it"
            raise SnapshotError(
                f"this snapshot is of another operator; {name}: {made.get(name, 'none')} in the "
                f"snapshot, {here.get(name, 'none')} here{remedy if name == 'operator' else ''}"
            )
