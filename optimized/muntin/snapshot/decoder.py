"""From a tree to objects: nothing is believed, nothing is run, and nothing of the old is touched.

First come empty containers and instances; then, leaves first, what must be whole when it is made,
and the fields of instances; last the containers are filled, when all that they hash is there.
"""

from collections.abc import Iterator
from operator import methodcaller
from typing import Self

from muntin.snapshot.binary_format import Reader
from muntin.snapshot.containers import CHANGING_KINDS, FIXED_KINDS
from muntin.snapshot.errors import SnapshotError
from muntin.snapshot.external_references import ExternalReferences
from muntin.snapshot.named_constants import constant_named
from muntin.snapshot.object_graph import GraphNode, GraphReference, ObjectGraph
from muntin.snapshot.state_classes import class_named, facts, set_fields
from muntin.snapshot.value_types import named_value

DECODE_ERRORS = (
    LookupError,
    TypeError,
    ValueError,
    AttributeError,
    ArithmeticError,
    RecursionError,
)
"""What Python says when something is put together that does not fit."""

DEEPEST = 1000
"""How deeply tuples in a key may be nested: Python hashes them by recursion, and does not count."""


def decode(data: bytes) -> object:
    """Return the plain value in these bytes, or say that they are damaged.

    >>> from muntin.snapshot.encoder import encode
    >>> decode(encode({"a": [1, 2.5]}))
    {'a': [1, 2.5]}
    """
    try:
        return Decoder(Reader(data).tree(), ExternalReferences({})).run().values(0)[0]
    except DECODE_ERRORS as cause:
        raise SnapshotError(f"the bytes are damaged: {cause!r}") from cause


def revived_fields(tree: ObjectGraph, given: ExternalReferences, root: object) -> dict[str, object]:
    """Return the fields that the root is to have; all that refers to the root gets this object."""
    revival = Decoder(tree, given)
    if tree.nodes[0].kind != "object":
        raise SnapshotError("the snapshot is damaged: it is of no operator")
    revival.made[0] = root
    return revival.run().fields(0)


class Decoder:
    """The objects made so far, by number."""

    def __init__(self, tree: ObjectGraph, given: ExternalReferences) -> None:
        """Start with nothing made."""
        self._nodes, self._forms, self._given = tree.nodes, tree.forms, given
        self._classes: dict[int, type[object]] = {}
        self.made: dict[int, object] = {}
        self._depths: dict[int, int] = {}

    def run(self) -> Self:
        """Make everything."""
        late = [n for n, node in enumerate(self._nodes) if not self._begin(n, node)]
        unfilled = [n for n in self._leaves_first(late) if not self._complete(n)]
        for n in unfilled:
            if n:
                set_fields(self.made[n], self.fields(n))
        for n, node in enumerate(self._nodes):
            if node.kind in CHANGING_KINDS:
                self._fill(n, node)
        return self

    def values(self, n: int) -> list[object]:
        """Return what a node is made of; all of it must have been made."""
        slots = self._nodes[n].slots
        return [
            self.made[slot.number] if isinstance(slot, GraphReference) else slot for slot in slots
        ]

    def fields(self, n: int) -> dict[str, object]:
        """Return the fields of an instance."""
        form = self._forms[self._nodes[n].form]
        return dict(zip(form.fields, self.values(n), strict=True))

    def _begin(self, n: int, node: GraphNode) -> bool:
        """Make what can be made at once, and say whether it is whole but for its items."""
        if node.kind in CHANGING_KINDS:
            self.made[n] = CHANGING_KINDS[node.kind].empty(node.slots)
        elif node.kind == "object":
            if n and not issubclass(self._class(node.form), tuple):
                self.made[n] = object.__new__(self._class(node.form))
            return False
        elif node.kind in FIXED_KINDS:
            return False
        else:
            self.made[n] = self._referred(node)
        return True

    def _class(self, form: int) -> type[object]:
        """Return the class of a form, if its instances are state and have these fields."""
        if form not in self._classes:
            name, names = self._forms[form]
            cls = class_named(name)
            if not facts(cls).state:
                raise SnapshotError(f"the snapshot holds instances of {name}, which are no state")
            wanted = facts(cls).expected
            if wanted is not None and names != wanted:
                raise SnapshotError(
                    f"{name} has the fields {', '.join(wanted)} here, but {', '.join(names)} in "
                    "the snapshot: restore it with the version that wrote it"
                )
            self._classes[form] = cls
        return self._classes[form]

    def _referred(self, node: GraphNode) -> object:
        """Return what is referred to by name, or a value of a registered type."""
        names = [slot for slot in node.slots if isinstance(slot, str)]
        if node.kind == "given":
            return self._given.at(tuple(names))
        if node.kind == "class":
            return class_named(*names)
        if node.kind == "constant":
            return constant_named(*names)
        (content,) = (slot for slot in node.slots if isinstance(slot, bytes))
        return self._value(names[0], content)

    @staticmethod
    def _value(name: str, content: bytes) -> object:
        """Return a value as its type decodes it."""
        known, plain = named_value(name), decode(content)
        try:
            value = known.decode(plain)
        except Exception as cause:
            raise SnapshotError(f"the type {name!r} cannot decode {plain!r}: {cause!r}") from cause
        if type(value) is not known.cls:
            raise SnapshotError(f"the type {name!r} decodes {plain!r} to {value!r}, not its own")
        return value

    def _leaves_first(self, late: list[int]) -> Iterator[int]:
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

    def _complete(self, n: int) -> bool:
        """Make what is made late, and say whether it is whole; else it is part of itself."""
        node = self._nodes[n]
        slots = [slot.number for slot in node.slots if isinstance(slot, GraphReference)]
        ready = all(number in self.made for number in slots)
        if n in self.made:
            if ready and n:
                set_fields(self.made[n], self.fields(n))
            return ready
        if not ready:
            raise SnapshotError("the snapshot is damaged: a tuple is part of itself")
        self._depths[n] = 1 + max((self._depths.get(number, 0) for number in slots), default=0)
        if node.kind == "object":
            self.made[n] = methodcaller("_make", self.values(n))(self._class(node.form))
            return True
        if node.kind == "frozenset":
            self._check_depth(slots)
        self.made[n] = FIXED_KINDS[node.kind].whole(self.values(n))
        return True

    def _fill(self, n: int, node: GraphNode) -> None:
        if node.kind in ("dict", "counter", "set"):
            self._check_depth(
                [slot.number for slot in node.slots if isinstance(slot, GraphReference)]
            )
        CHANGING_KINDS[node.kind].fill(self.made[n], self.values(n))

    def _check_depth(self, numbers: list[int]) -> None:
        if max((self._depths.get(number, 0) for number in numbers), default=0) > DEEPEST:
            raise SnapshotError(f"tuples are nested more than {DEEPEST} deep in a key")
