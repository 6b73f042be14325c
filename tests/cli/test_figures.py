"""Figures 1, 3 to 6 and 9 of [Tangwongsan19]: what text and captions say comes out of a real FiBA.

How much of each figure is reconstructed is in docs/examples/README.md.
"""

import json
from pathlib import Path

import pytest

from muntin.conformance.transcript.model import StructureTranscript, parse
from muntin.drawing.film import Frame, account_text, film
from muntin.drawing.instances import instance
from muntin.optimized.introspection import TreePicture
from muntin.spec.algebra.catalogue import named_keeping_nulls

EXAMPLES = Path(__file__).parents[2] / "docs" / "examples"
CONCAT = named_keeping_nulls("concat")
FIGURE_3_A = 6


def shown(value: object) -> str:
    return str(CONCAT.lower(value))


def example(name: str) -> StructureTranscript:
    transcript = parse((EXAMPLES / f"{name}.json").read_text())
    assert isinstance(transcript, StructureTranscript)
    return transcript


def states(name: str) -> list[tuple[Frame, TreePicture[object]]]:
    """Each frame of a figure with the tree in it, by a real FiBA with coins."""
    transcript = example(name)
    drawn = instance("fiba", transcript.aggregate.monoid, 2, coins=True)
    frames: list[tuple[Frame, TreePicture[object]]] = []
    for frame in film(transcript, drawn):
        picture = drawn.picture()
        assert isinstance(picture, TreePicture)
        frames.append((frame, picture))
    return frames


def test_state_a_of_figure_3_has_what_the_text_says_of_it() -> None:
    _, tree = states("002_figure_3")[FIGURE_3_A]
    left, center, right = tree.root.children
    assert shown(center.aggregate) == "hijklm"
    letters = sorted(shown(value) for node in center.nodes() for _, value in node.entries)
    assert "".join(letters) == "hijklm"
    assert (left.kind, shown(left.aggregate)) == ("left", "cdef")
    assert tree.root.kind == "inner"
    assert [time for time, _ in tree.root.entries] == [7, 15]
    finger = right.children[-1]
    assert (finger.kind, [time for time, _ in finger.entries]) == ("right", [21])


def test_figure_1_is_the_same_window_in_a_classic_tree() -> None:
    transcript = example("002_figure_1")
    drawn = instance("btree", transcript.aggregate.monoid, 2)
    list(film(transcript, drawn))
    picture = drawn.picture()
    assert isinstance(picture, TreePicture)
    assert shown(picture.root.children[-1].aggregate) == "qstu"
    assert shown(picture.root.aggregate) == "abcdefghijklmoqstu"


@pytest.mark.parametrize(
    ("figure", "captions"),
    [
        (
            "002_figure_3",
            {
                "insert 22: v": "spent 0, refunded 1",
                "insert 18: r": "spent 0, billed 2",
                "evict 1": "spent 0, billed 1",
                "insert 16: p": "split; spent 1, refunded 1",
                "evict 2": "merge; spent 1, billed 0",
            },
        ),
        ("002_figure_4", {"insert 3: c": "split, height increase, split; spent 2, billed 0"}),
        ("002_figure_5", {"evict 4": "merge, move; spent 2, billed 1"}),
        ("002_figure_6", {"evict 15": "merge, merge, height decrease; spent 2, refunded 2"}),
    ],
)
def test_coins_are_those_of_the_captions(figure: str, captions: dict[str, str]) -> None:
    """The captions leave out the coin that a change of height costs here."""
    remarks = {
        frame.call: account_text(tree.account, heights=0)
        for frame, tree in states(figure)
        if tree.account and frame.call in captions
    }
    assert remarks == captions


def test_an_in_order_insert_affects_the_right_finger_only() -> None:
    _, before = states("002_figure_3")[FIGURE_3_A]
    frame, _ = states("002_figure_3")[FIGURE_3_A + 1]
    fresh = [box for box in frame.scene.boxes if box.fresh]
    assert [(box.look, box.full) for box in fresh] == [("right", "qstuv"), ("item", "v")]
    assert shown(before.root.children[-1].children[-1].aggregate) == "qstu"


def test_figure_9_takes_a_substitute_from_a_leaf() -> None:
    (_, before), (_, after), (last, _) = states("002_figure_9")[FIGURE_3_A : FIGURE_3_A + 3]
    assert [time for time, _ in before.root.entries] == [7, 15]
    assert [time for time, _ in after.root.entries] == [8, 15]
    assert "merge" in last.remark


@pytest.mark.parametrize("path", sorted(EXAMPLES.glob("*.json")), ids=lambda path: path.stem)
def test_every_example_has_its_expected_results(path: Path) -> None:
    transcript = example(path.stem)
    name = "fiba" if path.stem.startswith("002") else "reactive"
    drawn = instance(name, transcript.aggregate.monoid)
    remarks = [frame.remark for frame in film(transcript, drawn)]
    for number, value in json.loads(path.read_text())["expect"]:
        parts = value if isinstance(value, str) else " ".join(map(str, value))
        assert remarks[number] == f"= {parts}"
