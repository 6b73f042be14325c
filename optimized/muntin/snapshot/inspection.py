"""What a snapshot says of itself; nothing of it is put together for that."""

from collections import Counter
from collections.abc import Iterator

from muntin.snapshot.binary_format import Reader
from muntin.snapshot.envelope import unpack_envelope
from muntin.snapshot.object_graph import GraphNode, ObjectGraph


def summary_lines(data: bytes) -> Iterator[str]:
    """Yield the lines that describe a snapshot, or say what is wrong with it."""
    frame = unpack_envelope(data)
    tree = Reader(frame.body).read_graph()
    inflated = f"{len(frame.body)} when inflated"
    yield f"snapshot of format {frame.format}, by muntin {frame.muntin_version}"
    yield f"{len(data)} bytes, {inflated}; {len(tree.nodes)} objects"
    yield from (f"{what}: {text}" for what, text in tree.header)
    counts = Counter(_kind(tree, node) for node in tree.nodes)
    yield from (f"{n:8} {kind}" for kind, n in sorted(counts.items(), key=lambda one: -one[1]))


def _kind(tree: ObjectGraph, node: GraphNode) -> str:
    if node.kind != "object":
        return node.kind
    name, fields = tree.layouts[node.layout]
    return f"{name} ({', '.join(fields)})"
