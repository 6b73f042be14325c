"""From objects to a tree: breadth first, each object once, so that depth and cycles are no matter.

Only containers, instances of known classes and registered values are written. What was given, and
what modules made, is referred to. Functions are never written.
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
    root: object, given: ExternalReferences, header: Sequence[tuple[str, str]] = ()
) -> ObjectGraph:
    """Return an object and all that it holds as a tree."""
    return Encoder(root, given).graph(tuple(header))


def encode(value: object) -> bytes:
    """Return a plain value as bytes: what is shared in it stays shared.

    >>> len(encode([1, (2.5, "three")] * 100))
    426
    """
    return Writer().write_graph(capture([value], ExternalReferences({})))


def parts(whole: object, *, root: bool = False) -> Sequence[object]:
    """Return what an object is made of, as far as that is state."""
    cls = type(whole)
    if cls in CONTAINERS:
        return CONTAINERS[cls].parts(whole)
    is_part = class_info(cls).is_state and cls not in VALUE_TYPES
    return list(fields_of(whole).values()) if root or is_part else ()


def reachable_objects(root: object) -> Iterator[object]:
    """Yield each object of a state once, what was given included, but not what it is made of."""
    found, known = [root], {id(root)}
    for here in found:
        yield here
        for part in parts(here, root=here is root):
            if not is_scalar(part) and id(part) not in known:
                known.add(id(part))
                found.append(part)


class Encoder:
    """The objects met so far, by number, and the tree as far as it is made."""

    def __init__(self, root: object, given: ExternalReferences) -> None:
        """Start at the root."""
        self._references = given
        self._objects: list[object] = [root]
        self._holders = [0]
        self._numbers = {id(root): 0}
        self._layouts: dict[ClassLayout, int] = {}

    def graph(self, header: tuple[tuple[str, str], ...]) -> ObjectGraph:
        """Write each object that the written ones refer to, until there is none."""
        nodes = [self._node(number, whole) for number, whole in enumerate(self._objects)]
        return ObjectGraph(header, tuple(self._layouts), tuple(nodes))

    def _slot(self, value: object, holder: int) -> Slot:
        if is_scalar(value):
            return value
        number = self._numbers.setdefault(id(value), len(self._objects))
        if number == len(self._objects):
            self._objects.append(value)
            self._holders.append(holder)
        return GraphReference(number)

    def _node(self, number: int, whole: object) -> GraphNode:
        cls, referred = type(whole), self._reference_node(whole)
        if referred:
            return referred
        if cls in VALUE_TYPES:
            return self._value_node(number, whole)
        if cls in CONTAINERS:
            container = CONTAINERS[cls]
            slots = tuple(self._slot(part, number) for part in container.parts(whole))
            return GraphNode(container.kind, slots)
        if number and not class_info(cls).is_state:
            raise SnapshotError(f"{self._path_to(number)} holds {unsupported_message(whole)}")
        fields = fields_of(whole)
        form = self._layouts.setdefault(
            ClassLayout(qualified_name(cls), tuple(fields)), len(self._layouts)
        )
        return GraphNode("object", tuple(self._slot(v, number) for v in fields.values()), form)

    def _reference_node(self, whole: object) -> GraphNode | None:
        """Return a reference to what is no state, if it is known by some name."""
        constant = enum_name(whole) if isinstance(whole, Enum) else constant_name(whole)
        if constant:
            return GraphNode("constant", constant)
        path = self._references.path(whole)
        if path:
            return GraphNode("given", path)
        name = name_of_class(whole) if isinstance(whole, type) else None
        return GraphNode("class", (name,)) if name else None

    def _value_node(self, number: int, whole: object) -> GraphNode:
        """Make a value plain; it gets a tree of its own, so that it is there before it is used."""
        known = VALUE_TYPES[type(whole)]
        try:
            content = encode(known.encode(whole))
        except SnapshotError:
            raise
        except Exception as cause:
            where = f"{self._path_to(number)}: the value type {known.name!r}"
            raise SnapshotError(f"{where} cannot encode {whole!r}: {cause!r}") from cause
        return GraphNode("value", (known.name, content))

    def _path_to(self, number: int) -> str:
        """Return how to come from the root to what holds an object, and to the object."""
        steps: list[str] = []
        while number:
            holder = self._holders[number]
            steps.append(access_path(self._objects[holder], self._objects[number]))
            number = holder
        if type(self._objects[0]) in CONTAINERS:  # it is only there for `encode`
            return "the value" + "".join(reversed(steps[:-1]))
        return type(self._objects[0]).__qualname__ + "".join(reversed(steps))


def access_path(holder: object, part: object) -> str:
    """Return how Python spells the way from an object to one that it holds."""
    if type(holder) not in CONTAINERS:
        names = [name for name, value in fields_of(holder).items() if value is part]
        return f".{names[0]}" if names else ""
    container = CONTAINERS[type(holder)]
    place = next(i for i, one in enumerate(container.parts(holder)) if one is part)
    if container.kind in ("dict", "counter"):
        key = container.parts(holder)[place - place % 2]
        return f"[{key!r:.40}]"
    return f"[{place - (container.kind == 'deque')}]"


def unsupported_message(whole: object) -> str:
    """Say what cannot be written, and what to do about it."""
    name, text = type(whole).__qualname__, f"{whole!r:.80}"
    if class_info(type(whole)).is_external:
        return (
            f"the {name} {text}, which belongs to no query of this operator: hold the query it is "
            "of, and take it from there"
        )
    if callable(whole):
        return (
            f"{text}, and functions are never written, unless they belong to a query or to the "
            "configuration: hold the query and look the function up there when it is called"
        )
    return (
        f"{text} of the type {name}, which snapshots do not know: for a value call "
        "muntin.snapshot.register_value, for a class of the operator's own register_state"
    )
