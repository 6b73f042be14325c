"""From an object graph to objects: no code of the graph runs, and no existing object changes.

Empty containers and instances come first; then, parts first, immutable containers and the fields of
instances; mutable containers are filled last, when all objects that they hash are complete.
"""

from collections.abc import Iterator
from operator import methodcaller
from typing import Self

from muntin.snapshot.binary_format import Reader
from muntin.snapshot.containers import IMMUTABLE_KINDS, MUTABLE_KINDS
from muntin.snapshot.errors import SnapshotError, corrupt_snapshot
from muntin.snapshot.external_references import ExternalReferences
from muntin.snapshot.named_constants import constant_by_name
from muntin.snapshot.object_graph import GraphNode, GraphReference, ObjectGraph
from muntin.snapshot.state_classes import class_by_name, class_info, set_fields
from muntin.snapshot.value_types import value_type_by_name

DECODE_ERRORS = (
    LookupError,
    TypeError,
    ValueError,
    AttributeError,
    ArithmeticError,
    RecursionError,
)
"""Errors that Python raises when parts do not fit together."""

MAX_KEY_DEPTH = 1000
"""Nesting of tuples in a key: Python hashes them by unbounded recursion."""


def decode(data: bytes) -> object:
    """The value that `encode` turned into these bytes.

    >>> from muntin.snapshot.encoder import encode
    >>> decode(encode({"a": [1, 2.5]}))
    {'a': [1, 2.5]}
    """
    try:
        return Decoder(Reader(data).read_graph(), ExternalReferences({})).decode_nodes().parts(0)[0]
    except DECODE_ERRORS as cause:
        raise corrupt_snapshot(f"a value in it cannot be decoded ({cause!r})") from cause


def decoded_fields(
    graph: ObjectGraph, references: ExternalReferences, root: object
) -> dict[str, object]:
    """The fields of the root node; references to the root become references to `root`."""
    decoder = Decoder(graph, references)
    if graph.nodes[0].kind != "object":
        raise corrupt_snapshot(f"its root is a {graph.nodes[0].kind}, expected an operator")
    decoder.objects[0] = root
    return decoder.decode_nodes().fields_of_node(0)


class Decoder:
    """Makes the objects of a graph, by node number."""

    def __init__(self, graph: ObjectGraph, references: ExternalReferences) -> None:
        """Start without objects."""
        self._nodes, self._layouts, self._references = graph.nodes, graph.layouts, references
        self._classes: dict[int, type[object]] = {}
        self.objects: dict[int, object] = {}
        self._depths: dict[int, int] = {}

    def decode_nodes(self) -> Self:
        """Make the object of every node."""
        deferred = [n for n, node in enumerate(self._nodes) if not self._start_object(n, node)]
        unfilled = [n for n in self._parts_first(deferred) if not self._complete_object(n)]
        for n in unfilled:
            if n:
                set_fields(self.objects[n], self.fields_of_node(n))
        for n, node in enumerate(self._nodes):
            if node.kind in MUTABLE_KINDS:
                self._fill(n, node)
        return self

    def parts(self, n: int) -> list[object]:
        """The parts of a node; they must exist already."""
        slots = self._nodes[n].slots
        return [self.objects[s.number] if isinstance(s, GraphReference) else s for s in slots]

    def fields_of_node(self, n: int) -> dict[str, object]:
        """The fields of an instance by name."""
        layout = self._layouts[self._nodes[n].layout]
        return dict(zip(layout.fields, self.parts(n), strict=True))

    def _start_object(self, n: int, node: GraphNode) -> bool:
        """Make an object that needs no parts; whether it is complete but for its items."""
        if node.kind in MUTABLE_KINDS:
            self.objects[n] = MUTABLE_KINDS[node.kind].create(node.slots)
        elif node.kind == "object":
            if n and not issubclass(self._class(node.layout), tuple):
                self.objects[n] = object.__new__(self._class(node.layout))
            return False
        elif node.kind in IMMUTABLE_KINDS:
            return False
        else:
            self.objects[n] = self._referenced_object(node)
        return True

    def _class(self, layout: int) -> type[object]:
        """The class of a layout, if states may hold its instances and it has these fields."""
        if layout not in self._classes:
            name, names = self._layouts[layout]
            cls = class_by_name(name)
            if not class_info(cls).is_state:
                raise SnapshotError(
                    f"the snapshot holds an instance of {name}, which no state may hold; "
                    "restore it with the version that wrote it"
                )
            required = class_info(cls).required_fields
            if required is not None and names != required:
                raise SnapshotError(
                    f"{name} has the fields {', '.join(names)} in the snapshot, expected "
                    f"{', '.join(required)}; restore it with the version that wrote it"
                )
            self._classes[layout] = cls
        return self._classes[layout]

    def _referenced_object(self, node: GraphNode) -> object:
        """An object referred to by name, or a value of a registered type."""
        names = [slot for slot in node.slots if isinstance(slot, str)]
        if node.kind == "external":
            return self._references.resolve(tuple(names))
        if node.kind == "class":
            return class_by_name(*names)
        if node.kind == "constant":
            return constant_by_name(*names)
        (content,) = (slot for slot in node.slots if isinstance(slot, bytes))
        return self._decoded_value(names[0], content)

    @staticmethod
    def _decoded_value(name: str, content: bytes) -> object:
        """A value as the decoder of its registered type returns it."""
        value_type, plain = value_type_by_name(name), decode(content)
        try:
            value = value_type.decode(plain)
        except Exception as cause:
            raise SnapshotError(
                f"the decoder of the value type {name!r} failed on {plain!r}: {cause!r}; register "
                "the decoder that fits what encode returned"
            ) from cause
        if type(value) is not value_type.cls:
            raise SnapshotError(
                f"the decoder of the value type {name!r} returned {value!r} for {plain!r}; "
                f"register one that returns a {value_type.cls.__qualname__}"
            )
        return value

    def _parts_first(self, deferred: list[int]) -> Iterator[int]:
        """Deferred nodes, each after its deferred parts, except along cycles."""
        waiting, seen = set(deferred), set[int]()
        for first in deferred:
            stack = [(first, False)]
            while stack:
                n, parts_done = stack.pop()
                if parts_done:
                    yield n
                elif n not in seen:
                    seen.add(n)
                    stack.append((n, True))
                    parts = self._nodes[n].references
                    stack += [(part, False) for part in parts if part in waiting]

    def _complete_object(self, n: int) -> bool:
        """Make a deferred object; whether all its parts exist: if not, it is part of itself."""
        node = self._nodes[n]
        ready = all(number in self.objects for number in node.references)
        if n in self.objects:
            if ready and n:
                set_fields(self.objects[n], self.fields_of_node(n))
            return ready
        if not ready:
            raise corrupt_snapshot(f"object {n}, a {node.kind}, contains itself")
        self._depths[n] = 1 + self._depth(node)
        if node.kind == "object":
            self.objects[n] = methodcaller("_make", self.parts(n))(self._class(node.layout))
            return True
        if node.kind == "frozenset":
            self._check_depth(node)
        self.objects[n] = IMMUTABLE_KINDS[node.kind].build(self.parts(n))
        return True

    def _fill(self, n: int, node: GraphNode) -> None:
        if node.kind in ("dict", "counter", "set"):
            self._check_depth(node)
        MUTABLE_KINDS[node.kind].fill(self.objects[n], self.parts(n))

    def _depth(self, node: GraphNode) -> int:
        return max((self._depths.get(number, 0) for number in node.references), default=0)

    def _check_depth(self, node: GraphNode) -> None:
        if self._depth(node) > MAX_KEY_DEPTH:
            raise SnapshotError(
                f"a key holds tuples nested more than {MAX_KEY_DEPTH} deep, which Python cannot "
                "hash safely; use flatter keys"
            )
