"""Inspection of a snapshot without restoring it."""

from collections import Counter
from collections.abc import Iterator

from muntin.snapshot.binary_format import Reader
from muntin.snapshot.decoder import DECODE_ERRORS
from muntin.snapshot.envelope import unpack_envelope
from muntin.snapshot.errors import corrupt_snapshot
from muntin.snapshot.object_graph import GraphNode, ObjectGraph


def summary_lines(data: bytes) -> Iterator[str]:
    """Format, size, queries, and the number of objects of each class, a line each."""
    envelope = unpack_envelope(data)
    try:
        graph = Reader(envelope.body).read_graph()
        counts = Counter(_kind(graph, node) for node in graph.nodes)
    except DECODE_ERRORS as cause:
        raise corrupt_snapshot(f"its objects cannot be read ({cause!r})") from cause
    inflated = f"{len(envelope.body)} when decompressed"
    yield f"snapshot of format {envelope.format}, by muntin {envelope.muntin_version}"
    yield f"{len(data)} bytes, {inflated}; {len(graph.nodes)} objects"
    yield from (f"{name}: {text}" for name, text in graph.header)
    yield from (f"{n:8} {kind}" for kind, n in sorted(counts.items(), key=lambda count: -count[1]))


def _kind(graph: ObjectGraph, node: GraphNode) -> str:
    if node.kind != "object":
        return node.kind
    name, fields = graph.layouts[node.layout]
    return f"{name} ({', '.join(fields)})"
