"""Damage to a snapshot is reported before the operator changes.

The checksum detects damage. A forged snapshot with a valid checksum can at worst make a wrong state
of the operator's own classes: no code of it runs.
"""

import sys
import zlib
from dataclasses import replace
from math import inf

import pytest
from hypothesis import given
from hypothesis import strategies as st

from muntin.reference.naive_operator import NaiveOperator
from muntin.reference.tuple_stores import TupleBuffer
from muntin.snapshot import SnapshotError, restore, snapshot
from muntin.snapshot.binary_format import Writer
from muntin.snapshot.envelope import (
    FORMAT,
    HEADER,
    MAGIC,
    MAX_BYTES,
    Envelope,
    pack_envelope,
    unpack_envelope,
)
from muntin.snapshot.inspection import summary_lines
from muntin.snapshot.object_graph import ClassLayout, GraphNode, GraphReference, ObjectGraph, Slot
from muntin.snapshot.operator_snapshots import graph_of
from snapshot.runs import LATE, QUERIES, run, steps


def naive(number: int = 0) -> NaiveOperator:
    """An operator in the middle of a stream."""
    operator = NaiveOperator(TupleBuffer, LATE)
    for query in QUERIES[:3]:
        operator.add(query)
    run(operator, steps(number))
    return operator


WHOLE = snapshot(naive(12))
BODY = unpack_envelope(WHOLE).body
TREE = graph_of(WHOLE)


def refused(data: bytes, words: str = ".") -> None:
    """Check that bytes are refused, and that the operator is unchanged."""
    operator = naive(3)
    before = snapshot(operator)
    with pytest.raises(SnapshotError, match=words):
        restore(operator, data)
    assert snapshot(operator) == before


def forged(tree: ObjectGraph) -> bytes:
    return pack_envelope(Envelope(FORMAT, "9.9", Writer().write_graph(tree)))


def test_every_flipped_byte_is_detected() -> None:
    operator = naive(3)
    before = snapshot(operator)
    for at in range(len(WHOLE)):
        damaged = bytearray(WHOLE)
        for flip in range(1, 256):
            damaged[at] = WHOLE[at] ^ flip
            with pytest.raises(SnapshotError):
                unpack_envelope(bytes(damaged))
        with pytest.raises(SnapshotError):
            restore(operator, bytes(damaged))
        with pytest.raises(SnapshotError):
            list(summary_lines(bytes(damaged)))
    assert snapshot(operator) == before
    restore(operator, WHOLE)


def test_every_truncation_is_detected() -> None:
    operator = naive(3)
    before = snapshot(operator)
    for length in range(len(WHOLE)):
        with pytest.raises(SnapshotError):
            restore(operator, WHOLE[:length])
    assert snapshot(operator) == before


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "not a muntin snapshot: the first bytes are b'', expected"),
        (b"PK\x03\x04 and so on", "not a muntin snapshot: the first bytes are b'PK"),
        (WHOLE[:10], "corrupt snapshot: 10 bytes, expected at least 27 for the header"),
        (WHOLE[:-1], rf"corrupt snapshot: {len(WHOLE) - 1} bytes, expected {len(WHOLE)} by"),
        (WHOLE + b"\0", rf"corrupt snapshot: {len(WHOLE) + 1} bytes, expected {len(WHOLE)} by"),
        (WHOLE + WHOLE, "corrupt snapshot: "),
        (
            WHOLE[:60] + b"?" + WHOLE[61:],
            "corrupt snapshot: CRC-32 of its bytes is ........, expected ........ as",
        ),
        (
            pack_envelope(Envelope(FORMAT + 1, "2.0", BODY)),
            rf"has format {FORMAT + 1}, expected {FORMAT}, the only",
        ),
        (pack_envelope(Envelope(FORMAT, "1", BODY[:-1])), "corrupt snapshot: "),
        (
            pack_envelope(Envelope(FORMAT, "1", BODY + b"\0")),
            rf"end at byte {len(BODY)} of its body, which has {len(BODY) + 1};",
        ),
        (
            pack_envelope(Envelope(FORMAT, "1", b"")),
            "corrupt snapshot: 1 bytes expected at byte 0 of its body, 0 found",
        ),
        (
            pack_envelope(Envelope(FORMAT, "1", b"\xff" * 30)),
            "corrupt snapshot: an integer at byte 0 of its body has more than 10 bytes",
        ),
        (
            pack_envelope(Envelope(FORMAT, "1", b"\xff\xff\x03")),
            "corrupt snapshot: 65535 items announced at byte 3 of its body, which has 0 bytes left",
        ),
    ],
)
def test_a_message_names_the_damage(data: bytes, words: str) -> None:
    refused(data, words)


def test_a_body_is_never_inflated_beyond_what_it_promises() -> None:
    packed = zlib.compress(b"\0" * 10**7)
    for promised in (10, 10**7 - 1, 10**7 + 1, MAX_BYTES, MAX_BYTES + 1, 2**64 - 1):
        whole = MAGIC + HEADER.pack(FORMAT, 1, len(packed), promised) + b"1" + packed
        checked = whole + zlib.crc32(whole).to_bytes(4, "little")
        refused(checked, "more than the limit" if promised > MAX_BYTES else "corrupt .*: its body ")


def test_a_body_is_a_whole_stream_and_nothing_else() -> None:
    packed = zlib.compress(BODY)
    for other in (packed + b"?", packed[:-1], packed[:-4]):
        whole = MAGIC + HEADER.pack(FORMAT, 1, len(other), len(BODY)) + b"1" + other
        refused(
            whole + zlib.crc32(whole).to_bytes(4, "little"), "its body does not decompress to the "
        )


@given(st.data())
def test_a_forged_body_makes_a_state_or_is_refused(data: st.DataObject) -> None:
    body = bytearray(BODY)
    for _ in range(data.draw(st.integers(1, 3))):
        body[data.draw(st.integers(0, len(body) - 1))] = data.draw(st.integers(0, 255))
    operator = naive()
    before = snapshot(operator)
    try:
        restore(operator, pack_envelope(Envelope(FORMAT, "9.9", bytes(body))))
    except SnapshotError:
        assert snapshot(operator) == before


@given(st.data())
def test_a_forged_tree_makes_a_state_or_is_refused(data: st.DataObject) -> None:
    nodes, last = list(TREE.nodes), len(TREE.nodes) - 1
    slots: list[Slot] = [None, True, -1, inf, "x", b"x", GraphReference(0), GraphReference(last)]
    for _ in range(data.draw(st.integers(1, 3))):
        at = data.draw(st.integers(1, last))
        old = nodes[at]
        kind = data.draw(st.sampled_from([old.kind, *KINDS_WITHOUT_LAYOUT]))
        new: list[Slot] = list(old.slots)
        new[:1] = [data.draw(st.sampled_from(slots))]
        nodes[at] = GraphNode(kind, tuple(new), old.layout) if kind != "object" else old
    operator = naive()
    before = snapshot(operator)
    try:
        restore(operator, forged(replace(TREE, nodes=tuple(nodes))))
    except SnapshotError:
        assert snapshot(operator) == before


KINDS_WITHOUT_LAYOUT = sorted({"tuple", "dict", "set", "frozenset", "deque", "counter", "fraction"})


def with_node(node: GraphNode) -> ObjectGraph:
    """A graph in which the first attribute of the operator is this node."""
    root = TREE.nodes[0]
    slots = (GraphReference(len(TREE.nodes)), *root.slots[1:])
    return replace(TREE, nodes=(root._replace(slots=slots), *TREE.nodes[1:], node))


def instance_of(name: str, *fields: str) -> ObjectGraph:
    """A graph with an instance of a class."""
    tree = with_node(GraphNode("object", ("x",) * len(fields), len(TREE.layouts)))
    return replace(tree, layouts=(*TREE.layouts, ClassLayout(name, fields)))


FORGED: list[tuple[ObjectGraph, str]] = [
    (instance_of("subprocess:Popen", "args"), "'subprocess:Popen', which is not imported"),
    (
        instance_of("muntin.registry.implementations:OperatorEntry", "name"),
        "which is not imported",
    ),
    (instance_of("muntin.spec.stream:END"), "'muntin.spec.stream:END', which is not"),
    (instance_of("muntin.spec.query:Event", "time"), "'muntin.spec.query:Event', which is not"),
    (
        instance_of("muntin.snapshot.binary_format:Reader"),
        "'muntin.snapshot.binary_format:Reader', which is not",
    ),
    (instance_of("muntin.spec.errors:MuntinError"), "MuntinError, which no state may"),
    (instance_of("muntin.spec.query:Query", "id"), "spec.query:Query, which no state may"),
    (instance_of("muntin.spec.windows.window:WindowType"), "window:WindowType, which no state may"),
    (instance_of("int"), "an instance of int, which no state may"),
    (
        instance_of("muntin.spec.stream:Event", "time"),
        "the fields time in the snapshot, expected gap, ",
    ),
    (
        instance_of("muntin.spec.windows.window:Interval", "end", "start", "row"),
        "expected start, end, row",
    ),
    (
        instance_of("muntin.reference.window_store:WindowStore"),
        r"cannot be put together \(TypeError",
    ),
    (with_node(GraphNode("class", ("os:system",))), "'os:system', which is not"),
    (
        with_node(GraphNode("class", ("muntin.spec.windows.window:NamedTuple",))),
        "which is not imported",
    ),
    (with_node(GraphNode("class", (b"x",))), "corrupt snapshot: "),
    (with_node(GraphNode("constant", ("os", "environ"))), "environ of os, which does not exist"),
    (
        with_node(GraphNode("constant", ("muntin.spec.windows.window", "dataclass"))),
        "which does not exist",
    ),
    (
        with_node(GraphNode("constant", ("muntin.spec.algebra.catalogue", "_TABLE"))),
        "which does not exist",
    ),
    (with_node(GraphNode("constant", ("muntin.nowhere", "TIME"))), "which does not exist"),
    (
        with_node(GraphNode("external", ("query 'tens'", "aggregate", "of"))),
        "but the operator has no of;",
    ),
    (
        with_node(GraphNode("external", ("query 'tens'", "__class__"))),
        "but the operator has no __class__;",
    ),
    (
        with_node(GraphNode("external", ("query 'nine'",))),
        "query 'nine', but the operator has no query 'nine'",
    ),
    (with_node(GraphNode("value", ("pickle", b""))), "unregistered type 'pickle'"),
    (
        with_node(GraphNode("tuple", (GraphReference(len(TREE.nodes)),))),
        "a tuple, contains itself",
    ),
    (with_node(GraphNode("dict", (1, 2, 1, 3))), "2 keys, but only 1 distinct"),
    (with_node(GraphNode("dict", (1,))), "corrupt snapshot: "),
    (with_node(GraphNode("set", (1, True))), "2 items of a set, but only 1 distinct"),
    (with_node(GraphNode("frozenset", (1, 1.0))), "2 items of a set, but only 1 distinct"),
    (with_node(GraphNode("fraction", (1, 0))), "corrupt snapshot: .*ZeroDivisionError"),
    (with_node(GraphNode("fraction", ("1", 2))), "a fraction of '1' and 2"),
    (with_node(GraphNode("deque", (1, 2, 3))), "a deque of at most 1 items has 2"),
    (with_node(GraphNode("deque", ("x",))), "the maximum length of a deque is 'x'"),
    (
        with_node(GraphNode("set", (GraphReference(0), GraphReference(1), GraphReference(2)))),
        r"cannot be put together \(TypeError",
    ),
]


@pytest.mark.parametrize(("tree", "words"), FORGED)
def test_what_is_forged_is_refused(tree: ObjectGraph, words: str) -> None:
    refused(forged(tree), words)


def test_a_forged_field_never_reaches_a_property() -> None:
    """A field goes into a slot or the dictionary of an instance, whatever its class defines."""
    tree = instance_of("muntin.reference.naive_operator:NaiveOperator", "retained", "__class__")
    operator = naive()
    restore(operator, forged(tree))
    odd: object = vars(operator)["_arrivals"]  # the first of the fields, by name
    assert type(odd) is NaiveOperator
    assert vars(odd) == {"retained": "x", "__class__": "x"}


def test_nothing_is_imported() -> None:
    before = set(sys.modules)
    refused(forged(instance_of("muntin.spec.nowhere:Thing")), "which is not imported")
    refused(forged(instance_of("antigravity:Thing")), "which is not imported")
    assert set(sys.modules) == before


@pytest.mark.parametrize("spoiled", [replace(TREE, nodes=()), replace(TREE, header=())])
def test_a_tree_without_a_root_or_a_header_is_refused(spoiled: ObjectGraph) -> None:
    refused(forged(spoiled))


def test_a_root_that_is_no_operator_is_refused() -> None:
    refused(
        forged(replace(TREE, nodes=(GraphNode("list", ()), *TREE.nodes[1:]))),
        "its root is a list, expected an operator",
    )
