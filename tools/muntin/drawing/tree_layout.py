"""A B-tree as in Figures 1 and 3 of [Tangwongsan19]: nodes above their children.

The top cell of a node is its aggregate, in the colour of its kind, and below it are its times and
values. An up-aggregate that the left or the right spine depends on is tinted.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from muntin.drawing.scene import Box, Coin, Edge, Label, Look, Scene, text_width
from muntin.drawing.value_text import Text, ValueFormatter
from muntin.optimized.introspection import NodePicture, TreePicture

PAD, AGGREGATE, ENTRY, LEVEL = 12.0, 26.0, 42.0, 112.0
GAP, COIN_GAP, COIN_STEP = 16.0, 18.0, 13.0
FINGER = "↑ finger"


@dataclass(frozen=True)
class Block:
    """A node with its own width, and the width of its subtree."""

    look: Look
    total: Text
    entries: tuple[tuple[str, Text], ...]
    widths: tuple[float, ...]
    children: "tuple[Block, ...]"
    coins: int | None

    @property
    def width(self) -> float:
        """The width of the node."""
        return sum(self.widths)

    @property
    def height(self) -> int:
        """The number of levels below the node."""
        return 1 + self.children[0].height if self.children else 0

    @property
    def margin(self) -> float:
        """The room on its right, with or without coins."""
        return GAP if self.coins is None else GAP + COIN_GAP

    @property
    def below(self) -> float:
        """The width of all subtrees below the node."""
        return sum(child.span for child in self.children)

    @property
    def span(self) -> float:
        """The width of the subtree."""
        return max(self.width + self.margin, self.below)


def tree_scene(picture: TreePicture[object], formatter: ValueFormatter) -> Scene:
    """Lay out a tree."""
    block = _block(picture.root, formatter, _tints(picture))
    scene = sum(_placed(block, 0.0, 0.0), Scene())
    return scene + _fingers(scene) if picture.fingers else scene


def _tints(picture: TreePicture[object]) -> dict[int, Look]:
    """The look of each up-aggregate that a spine depends on, by the node's identity."""
    if not picture.fingers or not picture.root.children:
        return {}
    first, *_, last = picture.root.children
    left: dict[int, Look] = {id(node): "up-left" for node in first.nodes()}
    right: dict[int, Look] = {id(node): "up-right" for node in last.nodes()}
    return left | right


def _block(node: NodePicture[object], formatter: ValueFormatter, tints: dict[int, Look]) -> Block:
    total = formatter.text(node.aggregate)
    entries = tuple((str(time), formatter.text(value)) for time, value in node.entries)
    least = [PAD + max(text_width(time), text_width(value.short())) for time, value in entries]
    needed = max(PAD + text_width(total.short()), text_width(FINGER) if not node.children else 0.0)
    more = max(0.0, needed - sum(least)) / max(1, len(least))
    return Block(
        tints.get(id(node), "up") if node.kind == "up" else node.kind,
        total,
        entries,
        tuple(width + more for width in least) or (needed,),
        tuple(_block(child, formatter, tints) for child in node.children),
        node.coins,
    )


def _placed(block: Block, left: float, top: float) -> Iterator[Scene]:
    """Yield the node in the middle of its part of the plane, then its subtrees."""
    x = left + (block.span - block.width - block.margin) / 2
    starts = [x + sum(block.widths[:k]) for k in range(len(block.widths) + 1)]
    yield Scene(_cells(block, starts, top), coins=_coins(block, starts[-1], top))
    child_left = left + (block.span - block.below) / 2
    for child, start in zip(block.children, starts, strict=False):
        middle = child_left + (child.span - child.margin) / 2
        bottom = top + AGGREGATE + ENTRY
        yield Scene(edges=(Edge(start, bottom, middle, top + LEVEL),))
        yield from _placed(child, child_left, top + LEVEL)
        child_left += child.span


def _cells(block: Block, starts: Sequence[float], top: float) -> tuple[Box, ...]:
    total, width = block.total, block.width
    key = f"{block.look.split('-')[0]} {total.full} over {[time for time, _ in block.entries]}"
    head = replace(total.box((starts[0], top), (width, AGGREGATE), block.look, ""), key=key)
    cells = zip(starts, block.widths, block.entries, strict=False)
    return head, *(
        value.box((x, head.bottom), (size, ENTRY), "item", f"{block.height}, {time}", above=time)
        for x, size, (time, value) in cells
    )


def _coins(block: Block, right: float, top: float) -> tuple[Coin, ...]:
    tops = (top + COIN_STEP / 2 + COIN_STEP * k for k in range(block.coins or 0))
    return tuple(Coin(right + COIN_GAP / 2, y) for y in tops)


def _fingers(scene: Scene) -> Scene:
    """The marks below the first and the last leaf, which may be one."""
    lowest = max(box.y for box in scene.boxes)
    nodes = (box for box in scene.boxes if box.look != "item")
    leaves = [box.middle for box in nodes if box.y + AGGREGATE >= lowest]
    bottom = max(box.bottom for box in scene.boxes) + 16
    ends = sorted({min(leaves), max(leaves)})
    return Scene(labels=tuple(Label(x, bottom, FINGER, "mark") for x in ends))
