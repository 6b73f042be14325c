"""From a tree to objects: nothing is believed, nothing is run, and nothing of the old is touched.

First come empty containers and instances; then, leaves first, what must be whole when it is made,
and the fields of instances; last the containers are filled, when all that they hash is there.
"""

from collections.abc import Iterator
from operator import methodcaller
from typing import Self

from muntin.snapshot.binary_format import Reader
from muntin.snapshot.containers import IMMUTABLE_KINDS, MUTABLE_KINDS
from muntin.snapshot.errors import SnapshotError
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
"""What Python says when something is put together that does not fit."""

MAX_KEY_DEPTH = 1000
"""How deeply tuples in a key may be nested: Python hashes them by recursion, and does not count."""


def decode(data: bytes) -> object:
    """Return the plain value in these bytes, or say that they are damaged.

    >>> from muntin.snapshot.encoder import encode
    >>> decode(encode({"a": [1, 2.5]}))
    {'a': [1, 2.5]}
    """
    try:
        return Decoder(Reader(data).read_graph(), ExternalReferences({})).decode_nodes().parts(0)[0]
    except DECODE_ERRORS as cause:
        raise SnapshotError(f"the bytes are damaged: {cause!r}") from cause


def decoded_fields(tree: ObjectGraph, given: ExternalReferences, root: object) -> dict[str, object]:
    """Return the fields that the root is to have; all that refers to the root gets this object."""
    revival = Decoder(tree, given)
    if tree.nodes[0].kind != "object":
        raise SnapshotError("the snapshot is damaged: it is of no operator")
    revival.objects[0] = root
    return revival.decode_nodes().fields_of_node(0)


class Decoder:
    """The objects made so far, by number."""

    def __init__(self, tree: ObjectGraph, given: ExternalReferences) -> None:
        """Start with nothing made."""
        self._nodes, self._layouts, self._references = tree.nodes, tree.layouts, given
        self._classes: dict[int, type[object]] = {}
        self.objects: dict[int, object] = {}
        self._depths: dict[int, int] = {}

    def decode_nodes(self) -> Self:
        """Make everything."""
        late = [n for n, node in enumerate(self._nodes) if not self._start_object(n, node)]
        unfilled = [n for n in self._parts_first(late) if not self._complete_object(n)]
        for n in unfilled:
            if n:
                set_fields(self.objects[n], self.fields_of_node(n))
        for n, node in enumerate(self._nodes):
            if node.kind in MUTABLE_KINDS:
                self._fill(n, node)
        return self

    def parts(self, n: int) -> list[object]:
        """Return what a node is made of; all of it must have been made."""
        slots = self._nodes[n].slots
        return [
            self.objects[slot.number] if isinstance(slot, GraphReference) else slot
            for slot in slots
        ]

    def fields_of_node(self, n: int) -> dict[str, object]:
        """Return the fields of an instance."""
        form = self._layouts[self._nodes[n].layout]
        return dict(zip(form.fields, self.parts(n), strict=True))

    def _start_object(self, n: int, node: GraphNode) -> bool:
        """Make what can be made at once, and say whether it is whole but for its items."""
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

    def _class(self, form: int) -> type[object]:
        """Return the class of a form, if its instances are state and have these fields."""
        if form not in self._classes:
            name, names = self._layouts[form]
            cls = class_by_name(name)
            if not class_info(cls).is_state:
                raise SnapshotError(f"the snapshot holds instances of {name}, which are no state")
            wanted = class_info(cls).required_fields
            if wanted is not None and names != wanted:
                raise SnapshotError(
                    f"{name} has the fields {', '.join(wanted)} here, but {', '.join(names)} in "
                    "the snapshot: restore it with the version that wrote it"
                )
            self._classes[form] = cls
        return self._classes[form]

    def _referenced_object(self, node: GraphNode) -> object:
        """Return what is referred to by name, or a value of a registered type."""
        names = [slot for slot in node.slots if isinstance(slot, str)]
        if node.kind == "given":
            return self._references.resolve(tuple(names))
        if node.kind == "class":
            return class_by_name(*names)
        if node.kind == "constant":
            return constant_by_name(*names)
        (content,) = (slot for slot in node.slots if isinstance(slot, bytes))
        return self._decoded_value(names[0], content)

    @staticmethod
    def _decoded_value(name: str, content: bytes) -> object:
        """Return a value as its type decodes it."""
        known, plain = value_type_by_name(name), decode(content)
        try:
            value = known.decode(plain)
        except Exception as cause:
            raise SnapshotError(f"the type {name!r} cannot decode {plain!r}: {cause!r}") from cause
        if type(value) is not known.cls:
            raise SnapshotError(f"the type {name!r} decodes {plain!r} to {value!r}, not its own")
        return value

    def _parts_first(self, late: list[int]) -> Iterator[int]:
        """Order what is made late so that its parts come before it, but for cycles."""
        waits, open_or_done = set(late), set[int]()
        for first in late:
            stack = [(first, False)]
            while stack:
                n, parts_done = stack.pop()
                if parts_done:
                    yield n
                elif n not in open_or_done:
                    open_or_done.add(n)
                    stack.append((n, True))
                    refs = (
                        slot.number
                        for slot in self._nodes[n].slots
                        if isinstance(slot, GraphReference)
                    )
                    stack += [(part, False) for part in refs if part in waits]

    def _complete_object(self, n: int) -> bool:
        """Make what is made late, and say whether it is whole; else it is part of itself."""
        node = self._nodes[n]
        slots = [slot.number for slot in node.slots if isinstance(slot, GraphReference)]
        ready = all(number in self.objects for number in slots)
        if n in self.objects:
            if ready and n:
                set_fields(self.objects[n], self.fields_of_node(n))
            return ready
        if not ready:
            raise SnapshotError("the snapshot is damaged: a tuple is part of itself")
        self._depths[n] = 1 + max((self._depths.get(number, 0) for number in slots), default=0)
        if node.kind == "object":
            self.objects[n] = methodcaller("_make", self.parts(n))(self._class(node.layout))
            return True
        if node.kind == "frozenset":
            self._check_depth(slots)
        self.objects[n] = IMMUTABLE_KINDS[node.kind].build(self.parts(n))
        return True

    def _fill(self, n: int, node: GraphNode) -> None:
        if node.kind in ("dict", "counter", "set"):
            self._check_depth(
                [slot.number for slot in node.slots if isinstance(slot, GraphReference)]
            )
        MUTABLE_KINDS[node.kind].fill(self.objects[n], self.parts(n))

    def _check_depth(self, numbers: list[int]) -> None:
        if max((self._depths.get(number, 0) for number in numbers), default=0) > MAX_KEY_DEPTH:
            raise SnapshotError(f"tuples are nested more than {MAX_KEY_DEPTH} deep in a key")
