"""A scene: boxes with text, edges, labels and coins at positions, without colours.

The font is monospaced, so the width of a text is known before it is drawn.
"""

from dataclasses import dataclass, replace
from typing import Literal
from unicodedata import east_asian_width

CHARACTER = 8.5  # width in the large type; 14 pixels
SMALL_CHARACTER = 7.3  # in the small type; 12 pixels
MARGIN = 14.0

CellLook = Literal[
    "plain", "up", "up-left", "up-right", "inner", "left", "right", "item", "partial", "vacant"
]
BarLook = Literal["new", "updated", "retracted", "open", "complete", "final"]
Look = CellLook | BarLook
LabelLook = Literal["caption", "note", "mark", "text", "new", "updated", "retracted", "late"]
EdgeLook = Literal["edge", "bracket", "grid", "watermark", "limit"]
MarkLook = Literal["on-time", "behind", "late"]
Anchor = Literal["start", "middle", "end"]


def text_width(text: str, character: float = CHARACTER) -> float:
    """The width of a text; ideographs are two characters wide."""
    return character * sum(2 if east_asian_width(letter) in "WF" else 1 for letter in text)


@dataclass(frozen=True)
class Box:
    """A cell with a text, perhaps a small one above it, and its full text as a tooltip.

    The key identifies the cell and its content: if the scene before lacks it, the box is fresh.
    """

    x: float
    y: float
    width: float
    height: float
    look: Look
    text: str
    above: str = ""
    full: str = ""
    key: str = ""
    fresh: bool = False

    @property
    def middle(self) -> float:
        """The x of its middle."""
        return self.x + self.width / 2

    @property
    def bottom(self) -> float:
        """The y of its bottom."""
        return self.y + self.height


@dataclass(frozen=True)
class Edge:
    """A line from one point to another."""

    x1: float
    y1: float
    x2: float
    y2: float
    look: EdgeLook = "edge"


@dataclass(frozen=True)
class Label:
    """A text outside of boxes; y is that of its base line."""

    x: float
    y: float
    text: str
    look: LabelLook = "note"
    anchor: Anchor = "middle"

    @property
    def width(self) -> float:
        """The width of its text."""
        return text_width(self.text, CHARACTER if self.look == "caption" else SMALL_CHARACTER)

    @property
    def left(self) -> float:
        """The x of its left end."""
        return self.x - {"start": 0.0, "middle": self.width / 2, "end": self.width}[self.anchor]

    @property
    def right(self) -> float:
        """The x of its right end."""
        return self.left + self.width


@dataclass(frozen=True)
class Coin:
    """A coin beside a node."""

    x: float
    y: float
    radius: float = 5.0


@dataclass(frozen=True)
class EventMark:
    """An event of a trace, with a tooltip; its shape says whether it is on time, without colour."""

    x: float
    y: float
    look: MarkLook
    full: str


@dataclass(frozen=True)
class Scene:
    """The elements to draw, at any offset."""

    boxes: tuple[Box, ...] = ()
    edges: tuple[Edge, ...] = ()
    labels: tuple[Label, ...] = ()
    coins: tuple[Coin, ...] = ()
    marks: tuple[EventMark, ...] = ()

    def __add__(self, other: "Scene") -> "Scene":
        """The elements of both scenes."""
        return Scene(
            self.boxes + other.boxes,
            self.edges + other.edges,
            self.labels + other.labels,
            self.coins + other.coins,
            self.marks + other.marks,
        )

    def frame(self) -> tuple[float, float, float, float]:
        """Left, top, width and height of all elements, with a margin."""
        lefts = [0.0, *(b.x for b in self.boxes), *(label.left for label in self.labels)]
        rights = [b.x + b.width for b in self.boxes] + [label.right for label in self.labels]
        rights += [coin.x + coin.radius for coin in self.coins]
        tops = [0.0, *(b.y for b in self.boxes), *(label.y - 12 for label in self.labels)]
        bottoms = [b.bottom for b in self.boxes] + [label.y + 3 for label in self.labels]
        bottoms += [coin.y + coin.radius for coin in self.coins]
        left, top = min(lefts) - MARGIN, min(tops) - MARGIN
        width = max(rights, default=0.0) + MARGIN - left
        return left, top, width, max(bottoms, default=0.0) + MARGIN - top


def mark_fresh(scene: Scene, before: Scene) -> Scene:
    """The scene with the boxes marked that are not in the scene before."""
    previous = {box.key for box in before.boxes}
    boxes = (replace(box, fresh=box.key not in previous) for box in scene.boxes)
    return replace(scene, boxes=tuple(boxes))
