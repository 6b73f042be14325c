"""From objects to an object graph: breadth first, each object once, at any depth and with cycles.

Containers, instances of state classes and values of registered types are written. Queries,
configuration and constants of modules are referred to by name. Functions are never written.
"""

from collections.abc import Iterator, Sequence
from enum import Enum

from muntin.snapshot.binary_format import Writer
from muntin.snapshot.containers import CONTAINERS
from muntin.snapshot.errors import SnapshotError
from muntin.snapshot.external_references import ExternalReferences
from muntin.snapshot.named_constants import constant_name, enum_name
from muntin.snapshot.object_graph import (
    ClassLayout,
    GraphNode,
    GraphReference,
    ObjectGraph,
    Slot,
    is_scalar,
)
from muntin.snapshot.state_classes import class_info, fields_of, name_of_class, qualified_name
from muntin.snapshot.value_types import VALUE_TYPES


def capture(
    root: object, references: ExternalReferences, header: Sequence[tuple[str, str]] = ()
) -> ObjectGraph:
    """The graph of an object and of all objects that it holds."""
    return Encoder(root, references).graph(tuple(header))


def encode(value: object) -> bytes:
    """A plain value as bytes; objects shared in it stay shared.

    >>> len(encode([1, (2.5, "three")] * 100))
    426
    """
    return Writer().write_graph(capture([value], ExternalReferences({})))


def parts(value: object, *, root: bool = False) -> Sequence[object]:
    """The parts of an object that belong to the state."""
    cls = type(value)
    if cls in CONTAINERS:
        return CONTAINERS[cls].parts(value)
    is_part = class_info(cls).is_state and cls not in VALUE_TYPES
    return list(fields_of(value).values()) if root or is_part else ()


def reachable_objects(root: object) -> Iterator[object]:
    """Each object of a state once; external objects too, but not their parts."""
    objects, seen = [root], {id(root)}
    for holder in objects:
        yield holder
        for part in parts(holder, root=holder is root):
            if not is_scalar(part) and id(part) not in seen:
                seen.add(id(part))
                objects.append(part)


class Encoder:
    """Numbers objects as they are met, and makes a node of each."""

    def __init__(self, root: object, references: ExternalReferences) -> None:
        """Number the root 0."""
        self._references = references
        self._objects: list[object] = [root]
        self._holders = [0]
        self._numbers = {id(root): 0}
        self._layouts: dict[ClassLayout, int] = {}

    def graph(self, header: tuple[tuple[str, str], ...]) -> ObjectGraph:
        """The graph of all objects reachable from the root."""
        nodes = [self._node(number, value) for number, value in enumerate(self._objects)]
        return ObjectGraph(header, tuple(self._layouts), tuple(nodes))

    def _slot(self, value: object, holder: int) -> Slot:
        if is_scalar(value):
            return value
        number = self._numbers.setdefault(id(value), len(self._objects))
        if number == len(self._objects):
            self._objects.append(value)
            self._holders.append(holder)
        return GraphReference(number)

    def _node(self, number: int, value: object) -> GraphNode:
        cls, reference = type(value), self._reference_node(value)
        if reference:
            return reference
        if cls in VALUE_TYPES:
            return self._value_node(number, value)
        if cls in CONTAINERS:
            container = CONTAINERS[cls]
            slots = tuple(self._slot(part, number) for part in container.parts(value))
            return GraphNode(container.kind, slots)
        if number and not class_info(cls).is_state:
            raise SnapshotError(f"{self._path_to(number)} holds {unsupported_message(value)}")
        fields = fields_of(value)
        layout = self._layouts.setdefault(
            ClassLayout(qualified_name(cls), tuple(fields)), len(self._layouts)
        )
        return GraphNode("object", tuple(self._slot(v, number) for v in fields.values()), layout)

    def _reference_node(self, value: object) -> GraphNode | None:
        """A reference to a constant, an external object or a class, if the object is one."""
        constant = enum_name(value) if isinstance(value, Enum) else constant_name(value)
        if constant:
            return GraphNode("constant", constant)
        path = self._references.path(value)
        if path:
            return GraphNode("external", path)
        name = name_of_class(value) if isinstance(value, type) else None
        return GraphNode("class", (name,)) if name else None

    def _value_node(self, number: int, value: object) -> GraphNode:
        """A value as the bytes of its own graph, so that it can be decoded before its holder."""
        value_type = VALUE_TYPES[type(value)]
        try:
            content = encode(value_type.encode(value))
        except SnapshotError:
            raise
        except Exception as cause:
            raise SnapshotError(
                f"{self._path_to(number)} holds {value!r}, on which the encoder of the value type "
                f"{value_type.name!r} failed: {cause!r}; register an encoder that accepts it"
            ) from cause
        return GraphNode("value", (value_type.name, content))

    def _path_to(self, number: int) -> str:
        """The path from the root to an object, as Python spells it."""
        steps: list[str] = []
        while number:
            holder = self._holders[number]
            steps.append(access_path(self._objects[holder], self._objects[number]))
            number = holder
        if type(self._objects[0]) in CONTAINERS:  # the list that `encode` adds
            return "the value" + "".join(reversed(steps[:-1]))
        return type(self._objects[0]).__qualname__ + "".join(reversed(steps))


def access_path(holder: object, part: object) -> str:
    """How Python spells the access from an object to a part of it."""
    if type(holder) not in CONTAINERS:
        names = [name for name, value in fields_of(holder).items() if value is part]
        return f".{names[0]}" if names else ""
    container = CONTAINERS[type(holder)]
    index = next(i for i, item in enumerate(container.parts(holder)) if item is part)
    if container.kind in ("dict", "counter"):
        key = container.parts(holder)[index - index % 2]
        return f"[{key!r:.40}]"
    return f"[{index - (container.kind == 'deque')}]"


def unsupported_message(value: object) -> str:
    """Why an object cannot be written, and the remedy."""
    name, text = type(value).__qualname__, f"{value!r:.80}"
    if class_info(type(value)).is_external:
        return (
            f"the {name} {text}, which belongs to no query of this operator: hold its query in the "
            "state, and look it up there"
        )
    if callable(value):
        return (
            f"{text}, a function outside of the queries and the configuration; functions are never "
            "written: hold the query in the state, and look the function up there"
        )
    return (
        f"{text} of the unregistered type {name}: for a value type call "
        "muntin.snapshot.register_value, for a class of the operator register_state"
    )
