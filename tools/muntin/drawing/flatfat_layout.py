"""A FlatFAT as in Figure 3 of [Tangwongsan15]: a binary tree over a ring, and the flat array.

Under the leaves are the slots of the ring with the times of their items; then the array that stores
the tree, its inner nodes in the first row and its leaves in the second, as they are numbered.
"""

from dataclasses import replace

from muntin.drawing.scene import Box, Edge, Label, Look, Scene, text_width
from muntin.drawing.value_text import IDENTITY, LONGEST, Text, ValueFormatter
from muntin.optimized.introspection import FatPicture

PAD, CELL, SLOT, LEVEL, GAP = 12.0, 28.0, 42.0, 58.0, 8.0
SHORT = 6
LOOKS: tuple[Look, Look, Look, Look] = ("plain", "item", "partial", "vacant")
PLAIN, ITEM, PARTIAL, VACANT = LOOKS
LEAST = 52.0


def fat_scene(picture: FatPicture[object], formatter: ValueFormatter) -> Scene:
    """Lay out a tree, its ring and its array."""
    texts = [formatter.text(value) for value in picture.nodes]
    column = max(LEAST, *(PAD + text_width(text.short(SHORT)) for text in texts))
    tree = _tree(texts, column)
    ring = _ring(picture, column, max(box.bottom for box in tree.boxes) + 26)
    bottom = max(*(box.bottom for box in ring.boxes), *(label.y for label in ring.labels), 0.0)
    return tree + ring + _array(texts, column, bottom + 40)


def _tree(texts: list[Text], column: float) -> Scene:
    capacity = len(texts) // 2
    boxes: dict[int, Box] = {}
    for number in reversed(range(1, 2 * capacity)):
        text, look, longest, width = texts[number], ITEM, SHORT, column
        if number >= capacity:
            middle = (number - capacity + 0.5) * (column + GAP)
        else:
            middle = (boxes[2 * number].middle + boxes[2 * number + 1].middle) / 2
            look, longest, width = PARTIAL, LONGEST, max(column, PAD + text_width(text.short()))
        look = VACANT if text.full == IDENTITY else look
        place = middle - width / 2, (number.bit_length() - 1) * LEVEL
        boxes[number] = text.box(place, (width, CELL), look, f"node {number}", longest=longest)
    pairs = ((boxes[number // 2], boxes[number]) for number in range(2, 2 * capacity))
    edges = (Edge(parent.middle, parent.bottom, child.middle, child.y) for parent, child in pairs)
    return Scene(tuple(boxes[number] for number in sorted(boxes)), tuple(edges))


def _ring(picture: FatPicture[object], column: float, top: float) -> Scene:
    """The slots with the times of their items, and the marks of the ends of the ring."""
    boxes: list[Box] = []
    labels = [Label(GAP / 2, top - 8, "the slots", "note", "start")]
    for location, time in enumerate(picture.times):
        x, look = location * (column + GAP) + GAP / 2, VACANT if time is None else PLAIN
        text = "hole" if location in picture.holes else "" if time is None else f"t={time}"
        key = f"slot {location}: {text}"
        boxes.append(Box(x, top, column, CELL, look, text, full=text, key=key))
        ends = (("front", picture.front), ("back", picture.back))
        marks = [name for name, index in ends if index == location]
        labels += [
            Label(x + column / 2, top + CELL + 15 * k, f"↑{name}", "mark")
            for k, name in enumerate(marks, 1)
        ]
    return Scene(tuple(boxes), labels=tuple(labels)) + _inverted(picture, column, top)


def _inverted(picture: FatPicture[object], column: float, top: float) -> Scene:
    """The two parts of a ring whose back is before its front."""
    front, back, end = picture.front, picture.back, len(picture.times)
    if front is None or back is None or front <= back:
        return Scene()
    y = top + CELL + 34

    def part(first: int, last: int, name: str) -> Scene:
        left, right = first * (column + GAP) + GAP / 2, last * (column + GAP) - GAP / 2
        edge = Edge(left, y, right, y, "bracket")
        return Scene(edges=(edge,), labels=(Label((left + right) / 2, y + 16, name),))

    return part(0, back + 1, "prefix") + part(front, end, "suffix")


def _array(texts: list[Text], column: float, top: float) -> Scene:
    boxes = list[Box]()
    for number, text in enumerate(texts):
        row, index = divmod(number, len(texts) // 2)
        place = index * column, top + (SLOT + GAP) * row
        look = VACANT if text.full == IDENTITY else PLAIN
        key, above = f"array {number}", str(number)
        boxes.append(text.box(place, (column, SLOT), look, key, above=above, longest=SHORT))
    nothing = "number 0 is no node"
    boxes[0] = replace(boxes[0], look=VACANT, text="", above="", full=nothing)
    return Scene(tuple(boxes), labels=(Label(0.0, top - 8, "the array", "note", "start"),))
