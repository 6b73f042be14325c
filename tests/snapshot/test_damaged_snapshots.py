"""Whatever is wrong with a snapshot is said, and said before anything has changed.

Damage is found by the checksum. What is forged, with a checksum that is right, can at worst make
a wrong state of the operator's own classes: nothing in it is run.
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
from muntin.snapshot.envelope import FORMAT, HEAD, MAGIC, Envelope, framed, unframed
from muntin.snapshot.inspection import shown
from muntin.snapshot.object_graph import ClassLayout, GraphNode, GraphReference, ObjectGraph, Slot
from muntin.snapshot.operator_snapshots import tree_of
from snapshot.runs import LATE, QUERIES, run, steps


def naive(number: int = 0) -> NaiveOperator:
    """Return an operator in the middle of a stream."""
    operator = NaiveOperator(TupleBuffer, LATE)
    for query in QUERIES[:3]:
        operator.add(query)
    run(operator, steps(number))
    return operator


WHOLE = snapshot(naive(12))
BODY = unframed(WHOLE).body
TREE = tree_of(WHOLE)


def refused(data: bytes, words: str = ".") -> None:
    """Check that bytes are refused, and that nothing has changed."""
    operator = naive(3)
    before = snapshot(operator)
    with pytest.raises(SnapshotError, match=words):
        restore(operator, data)
    assert snapshot(operator) == before


def forged(tree: ObjectGraph) -> bytes:
    return framed(Envelope(FORMAT, "9.9", Writer().tree(tree)))


def test_every_flipped_byte_is_found() -> None:
    operator = naive(3)
    before = snapshot(operator)
    for at in range(len(WHOLE)):
        damaged = bytearray(WHOLE)
        for flip in range(1, 256):
            damaged[at] = WHOLE[at] ^ flip
            with pytest.raises(SnapshotError):
                unframed(bytes(damaged))
        with pytest.raises(SnapshotError):
            restore(operator, bytes(damaged))
        with pytest.raises(SnapshotError):
            list(shown(bytes(damaged)))
    assert snapshot(operator) == before
    restore(operator, WHOLE)


def test_every_truncation_is_found() -> None:
    operator = naive(3)
    before = snapshot(operator)
    for length in range(len(WHOLE)):
        with pytest.raises(SnapshotError):
            restore(operator, WHOLE[:length])
    assert snapshot(operator) == before


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "this is no snapshot of muntin: it begins with b''"),
        (b"PK\x03\x04 and so on", "this is no snapshot of muntin: it begins with b'PK"),
        (WHOLE[:10], "is damaged: it ends after 10 bytes"),
        (WHOLE[:-1], rf"is damaged: {len(WHOLE) - 1} bytes, where it says {len(WHOLE)}"),
        (WHOLE + b"\0", rf"is damaged: {len(WHOLE) + 1} bytes, where it says {len(WHOLE)}"),
        (WHOLE + WHOLE, "is damaged: "),
        (WHOLE[:60] + b"?" + WHOLE[61:], "is damaged: its checksum is wrong"),
        (framed(Envelope(FORMAT + 1, "2.0", BODY)), rf"is of format {FORMAT + 1}; this version"),
        (framed(Envelope(FORMAT, "1", BODY[:-1])), "is damaged: "),
        (framed(Envelope(FORMAT, "1", BODY + b"\0")), "is damaged: something follows its end"),
        (framed(Envelope(FORMAT, "1", b"")), "is damaged: it ends in the middle"),
        (framed(Envelope(FORMAT, "1", b"\xff" * 30)), "is damaged: a number has no end"),
        (framed(Envelope(FORMAT, "1", b"\xff\xff\x03")), "is damaged: it promises 65535 things"),
    ],
)
def test_what_is_wrong_is_said(data: bytes, words: str) -> None:
    refused(data, words)


def test_a_body_is_never_inflated_beyond_what_it_promises() -> None:
    packed = zlib.compress(b"\0" * 10**7)
    for promised in (10, 10**7 - 1, 10**7 + 1, 2**64 - 1):
        whole = MAGIC + HEAD.pack(FORMAT, 1, len(packed), promised) + b"1" + packed
        checked = whole + zlib.crc32(whole).to_bytes(4, "little")
        refused(checked, "is damaged: ")


def test_a_body_is_a_whole_stream_and_nothing_else() -> None:
    packed = zlib.compress(BODY)
    for other in (packed + b"?", packed[:-1], packed[:-4]):
        whole = MAGIC + HEAD.pack(FORMAT, 1, len(other), len(BODY)) + b"1" + other
        refused(whole + zlib.crc32(whole).to_bytes(4, "little"), "its body has another length")


@given(st.data())
def test_a_forged_body_makes_a_state_or_is_refused(data: st.DataObject) -> None:
    body = bytearray(BODY)
    for _ in range(data.draw(st.integers(1, 3))):
        body[data.draw(st.integers(0, len(body) - 1))] = data.draw(st.integers(0, 255))
    operator = naive()
    before = snapshot(operator)
    try:
        restore(operator, framed(Envelope(FORMAT, "9.9", bytes(body))))
    except SnapshotError:
        assert snapshot(operator) == before


@given(st.data())
def test_a_forged_tree_makes_a_state_or_is_refused(data: st.DataObject) -> None:
    nodes, last = list(TREE.nodes), len(TREE.nodes) - 1
    slots: list[Slot] = [None, True, -1, inf, "x", b"x", GraphReference(0), GraphReference(last)]
    for _ in range(data.draw(st.integers(1, 3))):
        at = data.draw(st.integers(1, last))
        old = nodes[at]
        kind = data.draw(st.sampled_from([old.kind, *KINDS_OF_NO_FORM]))
        new: list[Slot] = list(old.slots)
        new[:1] = [data.draw(st.sampled_from(slots))]
        nodes[at] = GraphNode(kind, tuple(new), old.form) if kind != "object" else old
    operator = naive()
    before = snapshot(operator)
    try:
        restore(operator, forged(replace(TREE, nodes=tuple(nodes))))
    except SnapshotError:
        assert snapshot(operator) == before


KINDS_OF_NO_FORM = sorted({"tuple", "dict", "set", "frozenset", "deque", "counter", "fraction"})


def with_node(node: GraphNode) -> ObjectGraph:
    """Return a tree in which the first attribute of the operator is this node."""
    root = TREE.nodes[0]
    slots = (GraphReference(len(TREE.nodes)), *root.slots[1:])
    return replace(TREE, nodes=(root._replace(slots=slots), *TREE.nodes[1:], node))


def instance_of(name: str, *fields: str) -> ObjectGraph:
    """Return a tree with an instance of a class."""
    tree = with_node(GraphNode("object", ("x",) * len(fields), len(TREE.forms)))
    return replace(tree, forms=(*TREE.forms, ClassLayout(name, fields)))


FORGED: list[tuple[ObjectGraph, str]] = [
    (instance_of("subprocess:Popen", "args"), "'subprocess:Popen', which is none that a state"),
    (
        instance_of("muntin.registry.implementations:OperatorEntry", "name"),
        "which is none that a state may",
    ),
    (instance_of("muntin.spec.stream:END"), "'muntin.spec.stream:END', which is none"),
    (instance_of("muntin.spec.query:Event", "time"), "'muntin.spec.query:Event', which is none"),
    (
        instance_of("muntin.snapshot.binary_format:Reader"),
        "'muntin.snapshot.binary_format:Reader', which is none",
    ),
    (instance_of("muntin.spec.errors:MuntinError"), "MuntinError, which are no state"),
    (instance_of("muntin.spec.query:Query", "id"), "spec.query:Query, which are no state"),
    (instance_of("muntin.spec.windows.window:WindowType"), "window:WindowType, which are no state"),
    (instance_of("int"), "instances of int, which are no state"),
    (
        instance_of("muntin.spec.stream:Event", "time"),
        "the fields gap, .* but time in the",
    ),
    (
        instance_of("muntin.spec.windows.window:Interval", "end", "start", "row"),
        "fields start, end, row",
    ),
    (instance_of("muntin.reference.window_store:WindowStore"), "is damaged: TypeError"),
    (with_node(GraphNode("class", ("os:system",))), "'os:system', which is none"),
    (with_node(GraphNode("class", ("muntin.spec.windows.window:NamedTuple",))), "which is none"),
    (with_node(GraphNode("class", (b"x",))), "is damaged: "),
    (with_node(GraphNode("constant", ("os", "environ"))), "environ of os, which is no constant"),
    (
        with_node(GraphNode("constant", ("muntin.spec.windows.window", "dataclass"))),
        "which is no constant",
    ),
    (
        with_node(GraphNode("constant", ("muntin.spec.algebra.catalogue", "_TABLE"))),
        "which is no constant",
    ),
    (with_node(GraphNode("constant", ("muntin.nowhere", "TIME"))), "which is no constant"),
    (with_node(GraphNode("given", ("query 'tens'", "aggregate", "of"))), "and there is no of here"),
    (
        with_node(GraphNode("given", ("query 'tens'", "__class__"))),
        "and there is no __class__ here",
    ),
    (
        with_node(GraphNode("given", ("query 'nine'",))),
        "query 'nine', and there is no query 'nine'",
    ),
    (with_node(GraphNode("value", ("pickle", b""))), "'pickle', which is not registered"),
    (
        with_node(GraphNode("tuple", (GraphReference(len(TREE.nodes)),))),
        "a tuple is part of itself",
    ),
    (with_node(GraphNode("dict", (1, 2, 1, 3))), "two keys are equal"),
    (with_node(GraphNode("dict", (1,))), "is damaged: "),
    (with_node(GraphNode("set", (1, True))), "two items are equal"),
    (with_node(GraphNode("frozenset", (1, 1.0))), "two items are equal"),
    (with_node(GraphNode("fraction", (1, 0))), "is damaged: ZeroDivisionError"),
    (with_node(GraphNode("fraction", ("1", 2))), "a fraction of '1' and 2"),
    (with_node(GraphNode("deque", (1, 2, 3))), "holds more than it may"),
    (with_node(GraphNode("deque", ("x",))), "a deque of length 'x'"),
    (
        with_node(GraphNode("set", (GraphReference(0), GraphReference(1), GraphReference(2)))),
        "is damaged: TypeError",
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
    refused(forged(instance_of("muntin.spec.nowhere:Thing")), "which is none that a state may")
    refused(forged(instance_of("antigravity:Thing")), "which is none that a state may")
    assert set(sys.modules) == before


@pytest.mark.parametrize("spoiled", [replace(TREE, nodes=()), replace(TREE, header=())])
def test_a_tree_without_a_root_or_a_header_is_refused(spoiled: ObjectGraph) -> None:
    refused(forged(spoiled))


def test_a_root_that_is_no_operator_is_refused() -> None:
    refused(
        forged(replace(TREE, nodes=(GraphNode("list", ()), *TREE.nodes[1:]))),
        "it is of no operator",
    )
