"""Trees as bytes: variable-length integers, scalars with a tag, nodes in the order of numbers.

Nodes are numbered in the order in which they are first referred to, so that most references are
"the next one" and take a byte.
"""

from struct import Struct

from muntin.snapshot.errors import SnapshotError
from muntin.snapshot.object_graph import (
    KINDS,
    ClassLayout,
    GraphNode,
    GraphReference,
    ObjectGraph,
    Scalar,
    Slot,
)

NONE, TRUE, FALSE, INT, BIG, FLOAT, STR, BYTES, REF, NEXT = range(10)
FLOAT_FORMAT = Struct("<d")
COMPACT_INT_LIMIT = 1 << 62
"""Integers below it, and not below its negative, are written in 7 bits a byte; others whole."""
OBJECT_KIND = KINDS.index("object")


class Writer:
    """What is written so far."""

    def __init__(self) -> None:
        """Start with nothing."""
        self.out = bytearray()
        self._next = 1

    def write_count(self, number: int) -> None:
        """Write a number that is not negative."""
        while number >= 1 << 7:
            self.out.append(number & 0x7F | 0x80)
            number >>= 7
        self.out.append(number)

    def write_chunk(self, data: bytes) -> None:
        """Write bytes behind their number."""
        self.write_count(len(data))
        self.out += data

    def write_text(self, text: str) -> None:
        """Write a string, whatever it holds."""
        self.write_chunk(text.encode("utf-8", "surrogatepass"))

    def write_slot(self, slot: Slot) -> None:
        """Write a scalar or a reference."""
        if isinstance(slot, GraphReference):
            self._write_reference(slot.number)
        elif isinstance(slot, bool) or slot is None:
            self.out.append({None: NONE, True: TRUE, False: FALSE}[slot])
        elif isinstance(slot, int):
            self._write_int(slot)
        elif isinstance(slot, float):
            self.out.append(FLOAT)
            self.out += FLOAT_FORMAT.pack(slot)
        elif isinstance(slot, str):
            self.out.append(STR)
            self.write_text(slot)
        else:
            self.out.append(BYTES)
            self.write_chunk(slot)

    def _write_reference(self, number: int) -> None:
        if number == self._next:
            self._next += 1
            self.out.append(NEXT)
        else:
            self.out.append(REF)
            self.write_count(number)

    def _write_int(self, number: int) -> None:
        if -COMPACT_INT_LIMIT <= number < COMPACT_INT_LIMIT:
            self.out.append(INT)
            self.write_count(2 * number if number >= 0 else -2 * number - 1)
        else:
            self.out.append(BIG)
            self.write_chunk(number.to_bytes(number.bit_length() // 8 + 1, "little", signed=True))

    def write_graph(self, tree: ObjectGraph) -> bytes:
        """Write a whole tree, and return the bytes."""
        self.write_count(len(tree.header))
        for pair in tree.header:
            for text in pair:
                self.write_text(text)
        self.write_count(len(tree.layouts))
        for form in tree.layouts:
            self.write_text(form.name)
            self.write_count(len(form.fields))
            for field in form.fields:
                self.write_text(field)
        self.write_count(len(tree.nodes))
        for node in tree.nodes:
            kind = KINDS.index(node.kind)
            self.write_count(kind)
            self.write_count(node.layout if kind == OBJECT_KIND else len(node.slots))
            for slot in node.slots:
                self.write_slot(slot)
        return bytes(self.out)


def scalar_bytes(scalar: Scalar) -> bytes:
    """Return a scalar as bytes: those of unequal scalars differ, whatever their type."""
    writer = Writer()
    writer.write_slot(scalar)
    return bytes(writer.out)


class Reader:
    """What is still to be read. Nothing that it meets is believed."""

    def __init__(self, data: bytes) -> None:
        """Start at the beginning."""
        self._data, self._at, self._next = data, 0, 1

    def read_bytes(self, length: int) -> bytes:
        """Return the next bytes."""
        start, self._at = self._at, self._at + length
        if self._at > len(self._data):
            raise SnapshotError("the snapshot is damaged: it ends in the middle")
        return self._data[start : self._at]

    def read_count(self) -> int:
        """Read a number that is not negative."""
        number = 0
        for shift in range(0, 70, 7):
            (byte,) = self.read_bytes(1)
            number |= (byte & 0x7F) << shift
            if byte < 1 << 7:
                return number
        raise SnapshotError("the snapshot is damaged: a number has no end")

    def read_length(self) -> int:
        """Read how many things follow, each of them at least a byte."""
        number = self.read_count()
        if number > len(self._data) - self._at:
            raise SnapshotError(f"the snapshot is damaged: it promises {number} things, not there")
        return number

    def read_text(self) -> str:
        """Read a string."""
        return self.read_bytes(self.read_length()).decode("utf-8", "surrogatepass")

    def read_slot(self) -> Slot:
        """Read a scalar or a reference."""
        (tag,) = self.read_bytes(1)
        if tag == NEXT:
            self._next += 1
            return GraphReference(self._next - 1)
        if tag == REF:
            return GraphReference(self.read_count())
        return self._read_scalar(tag)

    def _read_scalar(self, tag: int) -> Scalar:
        if tag in (NONE, TRUE, FALSE):
            return (None, True, False)[tag]
        if tag in (STR, BYTES):
            return self.read_text() if tag == STR else self.read_bytes(self.read_length())
        if tag == FLOAT:
            value: float = FLOAT_FORMAT.unpack(self.read_bytes(FLOAT_FORMAT.size))[0]
            return value
        if tag == INT:
            number = self.read_count()
            return -(number + 1) // 2 if number % 2 else number // 2
        if tag == BIG:
            return int.from_bytes(self.read_bytes(self.read_length()), "little", signed=True)
        raise SnapshotError(f"the snapshot is damaged: there is no tag {tag}")

    def read_layout(self) -> ClassLayout:
        """Read a class and its fields."""
        name = self.read_text()
        return ClassLayout(name, tuple(self.read_text() for _ in range(self.read_length())))

    def read_node(self, forms: tuple[ClassLayout, ...]) -> GraphNode:
        """Read a node."""
        kind = KINDS[self.read_count()]
        if kind == "object":
            form = self.read_count()
            return GraphNode(kind, tuple(self.read_slot() for _ in forms[form].fields), form)
        return GraphNode(kind, tuple(self.read_slot() for _ in range(self.read_length())))

    def read_graph(self) -> ObjectGraph:
        """Read a whole tree, and nothing behind it."""
        header = tuple((self.read_text(), self.read_text()) for _ in range(self.read_length()))
        forms = tuple(self.read_layout() for _ in range(self.read_length()))
        nodes = tuple(self.read_node(forms) for _ in range(self.read_length()))
        if self._at < len(self._data):
            raise SnapshotError("the snapshot is damaged: something follows its end")
        refs = [slot for node in nodes for slot in node.slots if isinstance(slot, GraphReference)]
        if not nodes or any(ref.number >= len(nodes) for ref in refs):
            raise SnapshotError("the snapshot is damaged: it refers to what is not there")
        return ObjectGraph(header, forms, nodes)
