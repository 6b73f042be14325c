"""A scene: boxes with text, edges, labels and coins at places, still without colours.

The font is one of equal widths, so that what a text takes is known before it is drawn.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Literal
from unicodedata import east_asian_width

CHARACTER = 8.5  # width in the large type; 14 pixels
SMALL_CHARACTER = 7.3  # in the small type; 12 pixels
MARGIN = 14.0

Look = Literal[
    "plain", "up", "up-left", "up-right", "inner", "left", "right", "item", "partial", "vacant"
]
LabelLook = Literal["caption", "note", "mark"]
Anchor = Literal["start", "middle", "end"]


def wide(text: str, character: float = CHARACTER) -> float:
    """Return how wide a text is; ideographs take two places."""
    return character * sum(2 if east_asian_width(one) in "WF" else 1 for one in text)


@dataclass(frozen=True)
class Box:
    """A cell with a text, perhaps a small one above it, and its full text for those who ask.

    The key says what it is and what it holds: if the scene before has none such, it is fresh.
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
        """Where its middle is, from the left."""
        return self.x + self.width / 2

    @property
    def bottom(self) -> float:
        """Where its bottom is, from the top."""
        return self.y + self.height


@dataclass(frozen=True)
class Edge:
    """A line from one point to another."""

    x1: float
    y1: float
    x2: float
    y2: float
    look: Literal["edge", "bracket"] = "edge"


@dataclass(frozen=True)
class Label:
    """A text outside of boxes; y is that of its base line."""

    x: float
    y: float
    text: str
    look: LabelLook = "note"
    anchor: Anchor = "middle"

    @property
    def left(self) -> float:
        """Where it begins."""
        width = wide(self.text, CHARACTER if self.look == "caption" else SMALL_CHARACTER)
        return self.x - {"start": 0.0, "middle": width / 2, "end": width}[self.anchor]

    @property
    def right(self) -> float:
        """Where it ends."""
        width = wide(self.text, CHARACTER if self.look == "caption" else SMALL_CHARACTER)
        return self.left + width


@dataclass(frozen=True)
class Coin:
    """A coin beside a node."""

    x: float
    y: float
    radius: float = 5.0


@dataclass(frozen=True)
class Scene:
    """What is to be drawn. It has its upper left corner at any place."""

    boxes: tuple[Box, ...] = ()
    edges: tuple[Edge, ...] = ()
    labels: tuple[Label, ...] = ()
    coins: tuple[Coin, ...] = ()

    def __add__(self, other: "Scene") -> "Scene":
        """Put two scenes into one."""
        return Scene(
            self.boxes + other.boxes,
            self.edges + other.edges,
            self.labels + other.labels,
            self.coins + other.coins,
        )

    def frame(self) -> tuple[float, float, float, float]:
        """Return left, top, width and height of everything, with a margin."""
        lefts = [0.0, *(b.x for b in self.boxes), *(one.left for one in self.labels)]
        rights = [b.x + b.width for b in self.boxes] + [one.right for one in self.labels]
        rights += [coin.x + coin.radius for coin in self.coins]
        tops = [0.0, *(b.y for b in self.boxes), *(one.y - 12 for one in self.labels)]
        bottoms = [b.bottom for b in self.boxes] + [one.y + 3 for one in self.labels]
        bottoms += [coin.y + coin.radius for coin in self.coins]
        left, top = min(lefts) - MARGIN, min(tops) - MARGIN
        width = max(rights, default=0.0) + MARGIN - left
        return left, top, width, max(bottoms, default=0.0) + MARGIN - top


def together(scenes: Iterable[Scene]) -> Scene:
    """Put any number of scenes into one."""
    return sum(scenes, Scene())


def refreshed(scene: Scene, before: Scene | None) -> Scene:
    """Mark the boxes that hold something that was not there before."""
    if before is None:
        return scene
    known = {box.key for box in before.boxes}
    return replace(
        scene, boxes=tuple(replace(box, fresh=box.key not in known) for box in scene.boxes)
    )
