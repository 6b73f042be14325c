"""A FIFO structure: its lists side by side, oldest item first, and pointers below their ends.

Each item has a column: its time, the item itself if it is kept, and its partial if there is one.
"""

from collections.abc import Sequence
from itertools import accumulate, chain

from muntin.drawing.scene import SMALL_CHARACTER, Box, Edge, Label, Look, Scene, text_width
from muntin.drawing.value_text import Text, ValueFormatter
from muntin.optimized.introspection import QueuePicture, SlotPicture

PAD, CELL, GAP, LEAST, NAMES = 12.0, 28.0, 14.0, 52.0, 62.0
TOP = 24.0
ROWS = ("time", "item", "partial")
LOOKS: tuple[Look, ...] = ("plain", "item", "partial")


def queue_scene(
    picture: QueuePicture[object], times: Sequence[int], formatter: ValueFormatter
) -> Scene:
    """Lay out the lists."""
    slots = [slot for part in picture.lists for slot in part.slots]
    column = max(LEAST, *_widths(slots, times, formatter))
    ends = list(accumulate((len(part.slots) for part in picture.lists), initial=0))
    scenes = [_rows()]
    for index, part in enumerate(picture.lists):
        left = NAMES + ends[index] * column + index * GAP
        scenes.append(_name(part.name, left, column * len(part.slots)))
        scenes += [
            _slot(slot, time, left + k * column, column, formatter)
            for k, (slot, time) in enumerate(zip(part.slots, times[ends[index] :], strict=False))
        ]
    lefts = [NAMES + end * column + index * GAP for index, end in enumerate(ends)]
    names = [*(part.pointer for part in picture.lists), picture.end]
    return sum([*scenes, _pointers(names, lefts), _totals(picture, formatter)], Scene())


def _widths(
    slots: Sequence[SlotPicture[object]], times: Sequence[int], formatter: ValueFormatter
) -> list[float]:
    values = [value for slot in slots for value in (*slot.item, *slot.partial)]
    texts = [*(formatter.text(value).short() for value in values), *map(str, times), ""]
    return [PAD + text_width(text) for text in texts]


def _rows() -> Scene:
    tops = enumerate(ROWS)
    labels = (Label(NAMES - 8, TOP + CELL * row + 18, name, "note", "end") for row, name in tops)
    return Scene(labels=tuple(labels))


def _name(name: str, left: float, width: float) -> Scene:
    if not width:
        return Scene()
    y = TOP - 6
    bracket = Edge(left, y, left + width, y, "bracket")
    return Scene(edges=(bracket,), labels=(Label(left + width / 2, y - 6, name),))


def _slot(
    slot: SlotPicture[object], time: int, x: float, column: float, formatter: ValueFormatter
) -> Scene:
    def cell(row: int, texts: Sequence[Text]) -> Box:
        text, look = texts[0] if texts else Text(""), LOOKS[row] if texts else "vacant"
        place = x, TOP + CELL * row
        return text.box(place, (column, CELL), look, f"{ROWS[row]} of {time}")

    item, partial = ([*map(formatter.text, values)] for values in (slot.item, slot.partial))
    return Scene((cell(0, [Text(str(time))]), cell(1, item), cell(2, partial)))


def _pointers(names: Sequence[str], lefts: Sequence[float]) -> Scene:
    """Each pointer below the start of its list, which may be empty."""
    y = TOP + 3 * CELL
    named = [(name, left) for name, left in zip(names, lefts, strict=True) if name]
    pairs = ((Label(x, y + 13, "↑", "mark"), Label(x, y + 27, name, "mark")) for name, x in named)
    return Scene(labels=tuple(chain.from_iterable(pairs)))


def _totals(picture: QueuePicture[object], formatter: ValueFormatter) -> Scene:
    y = TOP + 3 * CELL + (42 if picture.end else 14)
    x = NAMES
    boxes: list[Box] = []
    labels: list[Label] = []
    for name, value in picture.totals:
        text = formatter.text(value)
        width = max(LEAST, PAD + text_width(text.short()))
        label = text_width(name, SMALL_CHARACTER) + 8
        labels.append(Label(x, y + 18, name, "note", "start"))
        boxes.append(text.box((x + label, y), (width, CELL), "partial", name))
        x += label + width + 2 * GAP
    return Scene(tuple(boxes), labels=tuple(labels))
