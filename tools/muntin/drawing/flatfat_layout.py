"""A FlatFAT as in Figure 3 of [Tangwongsan15]: a binary tree over a ring, and the flat array.

Under the leaves are the slots of the ring with the times of their items; then the array that stores
the tree, its inner nodes in the first row and its leaves in the second, as they are numbered.
"""

from muntin.drawing.scene import Box, Edge, Label, Scene, text_width
from muntin.drawing.value_text import IDENTITY, Text, ValueFormatter
from muntin.optimized.introspection import FatPicture

PAD, CELL, SLOT, LEVEL, GAP = 12.0, 28.0, 42.0, 58.0, 8.0
SHORT = 6
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
        text, depth = texts[number], number.bit_length() - 1
        if number >= capacity:
            middle = (number - capacity + 0.5) * (column + GAP)
            width = column
        else:
            middle = (boxes[2 * number].middle + boxes[2 * number + 1].middle) / 2
            width = max(column, PAD + text_width(text.short()))
        boxes[number] = Box(
            middle - width / 2,
            depth * LEVEL,
            width,
            CELL,
            "vacant" if text.full == IDENTITY else "partial" if number < capacity else "item",
            text.short(SHORT if number >= capacity else 10),
            full=text.full,
            key=f"node {number}: {text.full}",
        )
    edges = (
        Edge(
            boxes[number // 2].middle,
            boxes[number // 2].bottom,
            boxes[number].middle,
            boxes[number].y,
        )
        for number in range(2, 2 * capacity)
    )
    return Scene(tuple(boxes[number] for number in sorted(boxes)), tuple(edges))


def _ring(picture: FatPicture[object], column: float, top: float) -> Scene:
    """The slots with the times of their items, and the marks of the ends of the ring."""
    boxes: list[Box] = []
    labels = [Label(GAP / 2, top - 8, "the slots", "note", "start")]
    for location, time in enumerate(picture.times):
        x = location * (column + GAP) + GAP / 2
        hole = location in picture.holes
        text = "hole" if hole else "" if time is None else f"t={time}"
        marks = [
            name
            for name, index in (("front", picture.front), ("back", picture.back))
            if index == location
        ]
        boxes.append(
            Box(
                x,
                top,
                column,
                CELL,
                "vacant" if time is None else "plain",
                text,
                full=text,
                key=f"slot {location}: {text}",
            )
        )
        labels += [
            Label(x + column / 2, top + CELL + 15 * (k + 1), f"↑{name}", "mark")
            for k, name in enumerate(marks)
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
    capacity = len(texts) // 2
    boxes = [
        Box(
            (number % capacity) * column,
            top + (SLOT + GAP) * (number // capacity),
            column,
            SLOT,
            "vacant" if not number or text.full == IDENTITY else "plain",
            text.short(SHORT) if number else "",
            above=str(number) if number else "",
            full=text.full if number else "number 0 is no node",
            key=f"array {number}: {text.full}",
        )
        for number, text in enumerate(texts)
    ]
    return Scene(tuple(boxes), labels=(Label(0.0, top - 8, "the array", "note", "start"),))
