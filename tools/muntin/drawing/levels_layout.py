"""Base intervals: each level is a row, and an interval is as wide as the positions in it."""

from muntin.drawing.scene import Label, Look, Scene, text_width
from muntin.drawing.value_text import LONGEST, ValueFormatter
from muntin.optimized.introspection import LevelsPicture

PAD, CELL, SLOT, GAP, LEAST = 12.0, 28.0, 44.0, 6.0, 40.0
NAMES = 66.0


def levels_scene(picture: LevelsPicture[object], formatter: ValueFormatter) -> Scene:
    """Lay out the intervals of each level, the highest on top."""
    items = [formatter.text(value).short() for _, value in picture.levels[0]]
    least = [text_width(text) for text in (*items, *map(str, picture.times))]
    column = max([LEAST, *(PAD + width for width in least)]) + GAP
    scene = Scene()
    for level, intervals in enumerate(picture.levels):
        y = (len(picture.levels) - 1 - level) * (CELL + GAP)
        scene += Scene(labels=(Label(NAMES - 10, y + 19, f"level {level}", "note", "end"),))
        for index, value in intervals:
            text, width = formatter.text(value), (column * (1 << level)) - GAP
            characters = max(5, min(int((width - PAD) / 8.5), max(LONGEST, 4 << level)))
            start = (index << level) - picture.first
            place, size = (NAMES + start * column, y), (width, CELL if level else SLOT)
            above, key = "" if level else str(picture.times[start]), f"level {level}, {index}"
            look: Look = "partial" if level else "item"
            box = text.box(place, size, look, key, above=above, longest=characters)
            scene += Scene((box,))
    return scene + _positions(picture, column)


def _positions(picture: LevelsPicture[object], column: float) -> Scene:
    y = (len(picture.levels) - 1) * (CELL + GAP) + SLOT + 18
    name = Label(NAMES - 10, y, "position", "note", "end")
    numbers = (
        Label(NAMES + (k + 0.5) * column - GAP / 2, y, str(picture.first + k), "mark")
        for k in range(len(picture.times))
    )
    return Scene(labels=(name, *numbers))
