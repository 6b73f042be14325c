"""A trace as a scene: event time across, steps downward, and in each what came and went out."""

from collections.abc import Callable, Iterator, Sequence
from itertools import count

from muntin.drawing.scene import SMALL_CHARACTER, Box, Edge, Label, Look, Scene, text_width
from muntin.spec.query import Output, Result
from muntin.spec.stream import END, Event, Step

ROW, GAP, BAR, AXIS = 30.0, 16.0, 24.0, 26.0
"""Heights: of the events of a step, between steps, of an emitted window, of the axis."""
LABEL = 14.0
"""From the name of a step to the axis."""
WIDTH = 620.0
"""Of the axis of event time."""

LOOKS: dict[str, Look] = {"new": "up-right", "updated": "up-left", "retracted": "vacant"}

SteppedOutput = tuple[Step, Output]
Position = Callable[[float], float]


def trace_scene(trace: Sequence[SteppedOutput]) -> Scene:
    """What happened in each step: events by their time, the watermark, the windows emitted.

    >>> step = Step((Event(3, "a"),), 10), Output((Result("w", None, 0, 5, "a", "new", 0),))
    >>> [box.text for box in trace_scene([step]).boxes]
    ['a', 'a new']
    """
    times = sorted(_times(trace))
    low, high = (times[0], times[-1]) if times else (0, 1)
    scale = WIDTH / max(high - low, 1)
    parts, y = list[Scene](), AXIS
    for number, (step, output) in enumerate(trace, 1):
        part, y = _row(number, step, output, lambda time: (time - low) * scale, y)
        parts.append(part)
    ticks = [(time - low) * scale for time in times]
    edges = tuple(Edge(x, AXIS - 6, x, y - GAP) for x in ticks)
    legible = _legible(times, scale)
    labels = tuple(Label((time - low) * scale, AXIS - 12, str(time)) for time in legible)
    return sum(parts, Scene(edges=edges, labels=labels))


def _times(trace: Sequence[SteppedOutput]) -> set[int]:
    edges = {
        int(time)
        for _, output in trace
        for result in output.results
        for time in (result.start, result.end)
        if abs(time) != END
    }
    return edges or {event.time for step, _ in trace for event in step.events}


def _legible(ticks: Sequence[int], scale: float) -> Iterator[int]:
    end = float("-inf")
    for time in ticks:
        half = text_width(str(time), SMALL_CHARACTER) / 2 + 2
        if time * scale - half > end:
            end = time * scale + half
            yield time


def _row(
    number: int, step: Step, output: Output, position: Position, y: float
) -> tuple[Scene, float]:
    """The scene of one step, and where the next one begins."""
    late = {id(event) for event in output.late}
    events = tuple(_event(event, position, y, late=id(event) in late) for event in step.events)
    note = f"step {number}"
    if step.watermark is not None:
        note += ", watermark " + ("end" if step.watermark == END else str(step.watermark))
    labels = (Label(-LABEL, y + 17, note, "mark", "end"),)
    rows, heights = _rows(output.results), count(y + ROW, BAR + 2)
    placed = zip(rows, heights, strict=False)
    bars = (_bar(result, position, height) for row, height in placed for result in row)
    bottom = y + ROW + len(rows) * (BAR + 2)
    marks = [] if step.watermark in (None, END) else [position(step.watermark)]
    edges = tuple(Edge(x, y, x, bottom, "bracket") for x in marks)
    return Scene((*events, *bars), edges, labels), bottom + GAP


def _rows(results: Sequence[Result]) -> list[list[Result]]:
    """The results in as few rows as the order allows in which no two windows overlap."""
    rows = list[list[Result]]()
    for result in results:
        row = next((row for row in rows if row[-1].end <= result.start), None)
        if row is None:
            rows.append(row := [])
        row.append(result)
    return rows


def _event(event: Event, position: Position, y: float, *, late: bool) -> Box:
    text = f"{event.value} late" if late else str(event.value)
    width = max(text_width(text) + 8, 22.0)
    about = f"event at {event.time}, value {text}"
    look: Look = "vacant" if late else "item"
    return Box(position(event.time) - width / 2, y, width, 24, look, text, full=about)


def _bar(result: Result, position: Position, y: float) -> Box:
    left, right = position(result.start), position(result.end)
    text = f"{result.value} {result.kind}"
    about = f"{result.query} [{result.start}, {result.end}): {result.value}, {result.kind}"
    width = max(right - left, text_width(text))
    return Box(left, y, width, BAR, LOOKS[result.kind], text, full=about)
