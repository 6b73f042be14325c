"""Object graphs as bytes: variable-length integers, tagged scalars, nodes in numeric order.

Nodes are numbered in the order of their first references, so that most references mean "the next
node" and take one byte.
"""

from struct import Struct

from muntin.snapshot.errors import corrupt_snapshot
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
"""Integers in [-limit, limit) take 7 bits a byte; others are written as a block of bytes."""
OBJECT_KIND = KINDS.index("object")


class Writer:
    """Appends values to a byte string."""

    def __init__(self) -> None:
        """Start with an empty output."""
        self.out = bytearray()
        self._next = 1

    def write_count(self, number: int) -> None:
        """Write a non-negative integer, 7 bits a byte."""
        while number >= 1 << 7:
            self.out.append(number & 0x7F | 0x80)
            number >>= 7
        self.out.append(number)

    def write_chunk(self, data: bytes) -> None:
        """Write a length and that many bytes."""
        self.write_count(len(data))
        self.out += data

    def write_text(self, text: str) -> None:
        """Write a string; lone surrogates survive."""
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

    def write_graph(self, graph: ObjectGraph) -> bytes:
        """Write header, class layouts and nodes; return all bytes written."""
        self.write_count(len(graph.header))
        for pair in graph.header:
            for text in pair:
                self.write_text(text)
        self.write_count(len(graph.layouts))
        for layout in graph.layouts:
            self.write_text(layout.name)
            self.write_count(len(layout.fields))
            for field in layout.fields:
                self.write_text(field)
        self.write_count(len(graph.nodes))
        for node in graph.nodes:
            kind = KINDS.index(node.kind)
            self.write_count(kind)
            self.write_count(node.layout if kind == OBJECT_KIND else len(node.slots))
            for slot in node.slots:
                self.write_slot(slot)
        return bytes(self.out)


def scalar_bytes(scalar: Scalar) -> bytes:
    """A scalar as bytes: they differ for unequal scalars and for scalars of different types."""
    writer = Writer()
    writer.write_slot(scalar)
    return bytes(writer.out)


class Reader:
    """Reads untrusted bytes: every length, tag and reference is checked."""

    def __init__(self, data: bytes) -> None:
        """Start at the first byte."""
        self._data, self._position, self._next = data, 0, 1

    def read_bytes(self, length: int) -> bytes:
        """The next `length` bytes."""
        start, self._position = self._position, self._position + length
        if self._position > len(self._data):
            raise corrupt_snapshot(
                f"{length} bytes expected at byte {start} of its body, {len(self._data) - start} "
                "found"
            )
        return self._data[start : self._position]

    def read_count(self) -> int:
        """Read a non-negative integer of 7 bits a byte."""
        number, start = 0, self._position
        for shift in range(0, 70, 7):
            (byte,) = self.read_bytes(1)
            number |= (byte & 0x7F) << shift
            if byte < 1 << 7:
                return number
        raise corrupt_snapshot(f"an integer at byte {start} of its body has more than 10 bytes")

    def read_length(self) -> int:
        """Read a number of items to come, each of at least one byte."""
        number = self.read_count()
        if number > len(self._data) - self._position:
            raise corrupt_snapshot(
                f"{number} items announced at byte {self._position} of its body, which has "
                f"{len(self._data) - self._position} bytes left"
            )
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
        raise corrupt_snapshot(
            f"value tag {tag} at byte {self._position - 1}, expected 0 to {NEXT}"
        )

    def read_layout(self) -> ClassLayout:
        """Read the name of a class and of its fields."""
        name = self.read_text()
        return ClassLayout(name, tuple(self.read_text() for _ in range(self.read_length())))

    def read_node(self, layouts: tuple[ClassLayout, ...]) -> GraphNode:
        """Read a node."""
        kind = KINDS[self.read_count()]
        if kind == "object":
            layout = self.read_count()
            return GraphNode(kind, tuple(self.read_slot() for _ in layouts[layout].fields), layout)
        return GraphNode(kind, tuple(self.read_slot() for _ in range(self.read_length())))

    def read_graph(self) -> ObjectGraph:
        """Read a graph that fills the bytes to their end."""
        header = tuple((self.read_text(), self.read_text()) for _ in range(self.read_length()))
        layouts = tuple(self.read_layout() for _ in range(self.read_length()))
        nodes = tuple(self.read_node(layouts) for _ in range(self.read_length()))
        if self._position < len(self._data):
            raise corrupt_snapshot(
                f"its objects end at byte {self._position} of its body, which has {len(self._data)}"
            )
        if not nodes:
            raise corrupt_snapshot("it holds no objects, expected at least the operator")
        highest = max((number for node in nodes for number in node.references), default=0)
        if highest >= len(nodes):
            raise corrupt_snapshot(
                f"reference to object {highest}, but it holds {len(nodes)} objects"
            )
        return ObjectGraph(header, layouts, nodes)
