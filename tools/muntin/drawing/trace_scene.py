"""A trace as a scene: event time across, arrival downward, and in each step what it emits.

The watermark is a staircase, and so is the limit of lateness. The shape of an event says whether it
is on time, behind the watermark or late; the sign and the word of a result what kind it is.
"""

import json
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from muntin.conformance.inspection import LatenessReason, StepView, WindowView
from muntin.conformance.transcript.expectations import JsonRow
from muntin.conformance.transcript.json_reader import encode, encode_coordinate
from muntin.drawing.scene import (
    SMALL_CHARACTER,
    Box,
    Edge,
    EdgeLook,
    EventMark,
    Label,
    LabelLook,
    Look,
    MarkLook,
    Scene,
    text_width,
)
from muntin.drawing.time_axis import WIDTH, TimeAxis, axis_of, time_text
from muntin.registry.state_size import SliceSpan
from muntin.spec.query import ChangeKind
from muntin.spec.stream import END, Event

TOP, HEADING, EVENT, WATERMARK, BAR, GAP = 20.0, 19.0, 20.0, 18.0, 21.0, 7.0
"""Heights: of the axis, the heading of a step, an event, a watermark, a window; between steps."""
BAR_HEIGHT, LEAST_BAR = 17.0, 5.0
OVERHANG = 24.0
"""How far a text may reach beyond the axis."""
LONGEST_TEXT = 40
SIGNS: dict[str, str] = {"new": "+", "updated": "~", "retracted": "-", "late": "x"}
LOOKS: dict[str, ChangeKind] = {"new": "new", "updated": "updated", "retracted": "retracted"}
LEGEND: tuple[tuple[str, str], ...] = (
    ("on-time", "● on time"),
    ("behind", "◆ behind the watermark"),
    ("late", "⊗ late"),
    ("watermark", "┃ watermark"),
    ("limit", "┆ lateness limit"),
)


@dataclass(frozen=True)
class EmittedRow:
    """A result or a late event of a step; perhaps one that is missing, or that nothing expects."""

    fields: JsonRow
    remark: str = ""


@dataclass(frozen=True)
class Naming:
    """What a result must name to be known: its query and its key, unless there is only one."""

    timed: Collection[str]
    """The queries over time: the windows of others have no place on the axis."""
    queries: bool
    keys: bool

    def prefix(self, query: object, key: object) -> str:
        """The query and the key, as far as they are named."""
        names = [str(query)] if self.queries and query is not None else []
        return " ".join([*names, f"{json.dumps(key)}:"] if self.keys and key is not None else names)


@dataclass(frozen=True)
class TracePlan:
    """What a picture of a trace shows beside its steps."""

    naming: Naming
    windows: tuple[WindowView, ...] = ()
    slices: tuple[SliceSpan, ...] = ()
    slices_of: str = ""


def trace_scene(
    views: Sequence[StepView], emitted: Sequence[Sequence[EmittedRow]], plan: TracePlan
) -> Scene:
    """All steps of a trace, then the windows and slices that are left, and the legend."""
    rows = [row.fields for step in emitted for row in step]
    axis = axis_of(views, rows, plan.naming.timed)
    parts, y = list[Scene](), TOP
    for number, (view, step_rows) in enumerate(zip(views, emitted, strict=True)):
        part, y = _step(number, view, step_rows, y, axis, plan.naming)
        parts.append(part)
    for heading, bars in _rest(plan, axis):
        parts.append(Scene(labels=(Label(0, y + 13, heading, "note", "start"),)))
        placed = [_bar(bar, y + HEADING + BAR * n) for n, bar in enumerate(bars)]
        parts += placed
        y += HEADING + BAR * len(placed) + GAP
    drawn = sum(parts, Scene())
    ticks = [(axis.position(time), time_text(time)) for time in axis.ticks()]
    grid = Scene(
        edges=tuple(Edge(x, TOP - 4, x, y - GAP, "grid") for x, _ in ticks),
        labels=tuple(Label(x, TOP - 8, text) for x, text in ticks),
    )
    return grid + drawn + _legend(drawn, y)


def _legend(scene: Scene, y: float) -> Scene:
    looks = {mark.look for mark in scene.marks} | {edge.look for edge in scene.edges}
    labels, left = list[Label](), 0.0
    for look, text in LEGEND:
        if look in looks:
            width = text_width(text, SMALL_CHARACTER) + 12
            if left + width > WIDTH + OVERHANG:
                left, y = 0.0, y + 16
            labels.append(Label(left, y + 13, text, "note", "start"))
            left += width
    return Scene(labels=tuple(labels))


def _step(  # noqa: PLR0913, PLR0917 - a step, its place, and what names its rows
    number: int,
    view: StepView,
    rows: Sequence[EmittedRow],
    top: float,
    axis: TimeAxis,
    naming: Naming,
) -> tuple[Scene, float]:
    """The scene of one step, and where the next one begins."""
    late = {id(reason.event): reason for reason in view.late}
    y = top + HEADING
    parts = [Scene(labels=(Label(0, top + 13, f"step {number}", "mark", "start"),))]
    for event in view.step.events:
        parts.append(_event(event, late.get(id(event)), view.watermark_before, y, axis))
        y += EVENT
    moved = view.watermark != view.watermark_before
    if view.step.watermark is not None or moved:
        parts.append(_watermark(view, y, axis))
        y += WATERMARK
    turn = y
    for row in rows:
        parts.append(_bar(_emitted_bar(row, axis, naming), y))
        y += BAR
    limit_moved = moved and view.limit != view.watermark
    bottom = y + GAP
    parts.append(
        _stairs("watermark", (view.watermark_before, view.watermark), (top, turn, bottom), axis)
    )
    if view.limit_before != view.watermark_before or limit_moved:
        parts.append(_stairs("limit", (view.limit_before, view.limit), (top, turn, bottom), axis))
    return sum(parts, Scene(edges=(Edge(0, top, WIDTH, top, "grid"),))), bottom


def _stairs(
    look: EdgeLook, times: tuple[float, float], heights: tuple[float, float, float], axis: TimeAxis
) -> Scene:
    """Down at the time before, across to the time after, and down again, within the axis."""
    (before, after), (top, turn, bottom) = times, heights
    x, next_x = axis.position(before), axis.position(after)
    edges = [Edge(x, top, x, turn, look)] if axis.low <= before else []
    if edges and after != before:
        edges.append(Edge(x, turn, next_x, turn, look))
    if axis.low <= after:
        edges.append(Edge(next_x, turn, next_x, bottom, look))
    return Scene(edges=tuple(edges))


def _watermark(view: StepView, y: float, axis: TimeAxis) -> Scene:
    promised = view.step.watermark
    time = view.watermark if promised is None else promised
    text = f"watermark {time_text(encode_coordinate(time))}"
    if promised is not None and promised < view.watermark:
        text += ", which changes nothing"
    return Scene(
        labels=(_side_label(axis.position(time), axis.position(time), y + 13, text, "text"),)
    )


def _event(
    event: Event, reason: LatenessReason | None, watermark: float, y: float, axis: TimeAxis
) -> Scene:
    look: MarkLook = "late" if reason else "behind" if event.time < watermark else "on-time"
    value = _short(json.dumps(encode(event.value), ensure_ascii=False))
    words = [f"{_short(json.dumps(encode(event.key)))}:"] if event.key is not None else []
    words += [value, *(["punctuation"] if event.punctuation else [])]
    words += [f"gap {event.gap}"] if event.gap is not None else []
    words += ["late"] if reason else []
    x = axis.position(event.time)
    full = reason_text(reason) if reason else f"event at {event.time}, value {value}"
    label = _side_label(x - 9, x + 9, y + 14, " ".join(words), "late" if reason else "text")
    return Scene(labels=(label,), marks=(EventMark(x, y + 10, look, full),))


def reason_text(reason: LatenessReason) -> str:
    """Why an event is late, in words (rule 4)."""
    about = f"the event at {reason.event.time} is late: "
    if reason.windows:
        finals = [
            f"{interval_text(interval.start, interval.end)} of {query!r} is final"
            f" since watermark {encode_coordinate(final_at)}"
            for query, interval, final_at in reason.windows
        ]
        return f"{about}{', '.join(finals)}; the watermark is {encode_coordinate(reason.watermark)}"
    limit, watermark = encode_coordinate(reason.limit), encode_coordinate(reason.watermark)
    why = f"{about}{reason.event.time} < {limit}"
    return (
        why if reason.limit == reason.watermark else f"{why}, watermark {watermark} less lateness"
    )


def interval_text(start: object, end: object) -> str:
    """An interval as documents write it."""
    return f"[{time_text(start)}, {'end' if end == END else time_text(end)})"


@dataclass(frozen=True)
class TraceBar:
    """A window or a slice: its extent on the axis, if it has one, and its text."""

    extent: tuple[float, float] | None
    look: Look
    text: str
    text_look: LabelLook = "text"


def _emitted_bar(row: EmittedRow, axis: TimeAxis, naming: Naming) -> TraceBar:
    fields, remark = row.fields, f"{row.remark}: " if row.remark else ""
    if "start" not in fields:
        event = {name: value for name, value in fields.items() if name != "step"}
        text = f"{remark}{SIGNS['late']} late {_short(json.dumps(event, ensure_ascii=False))}"
        return TraceBar(None, "retracted", text, "late")
    kind, start, end = str(fields.get("kind", "new")), fields["start"], fields.get("end", "end")
    interval = interval_text(start, end)
    value = _short(json.dumps(fields.get("value"), ensure_ascii=False)) if "value" in fields else ""
    words = [SIGNS[kind], kind, naming.prefix(fields.get("query"), fields.get("key")), interval]
    text = remark + " ".join(word for word in [*words, "=", value] if word)
    extent = None
    if fields.get("query") in naming.timed and isinstance(start, int):
        extent = axis.position(start), axis.position(end if isinstance(end, int) else END)
    return TraceBar(extent, LOOKS[kind], text, LOOKS[kind])


def _rest(plan: TracePlan, axis: TimeAxis) -> Iterator[tuple[str, list[TraceBar]]]:
    """The windows that hold an event at the end, and the slices that an operator keeps."""
    if plan.windows:
        yield (
            "windows after the last step",
            [_window_bar(w, axis, plan.naming) for w in plan.windows],
        )
    if plan.slices:
        yield (
            f"slices that {plan.slices_of} keeps",
            [_slice_bar(span, axis, plan.naming) for span in plan.slices],
        )


def _window_bar(window: WindowView, axis: TimeAxis, naming: Naming) -> TraceBar:
    value = _short(json.dumps(encode(window.value), ensure_ascii=False))
    words = [window.state, naming.prefix(window.query, encode(window.key))]
    words += [interval_text(*window.interval[:2]), "=", value]
    start, end, _ = window.interval
    extent = (axis.position(start), axis.position(end)) if window.query in naming.timed else None
    return TraceBar(extent, window.state, " ".join(word for word in words if word))


def _slice_bar(span: SliceSpan, axis: TimeAxis, naming: Naming) -> TraceBar:
    noun = "event" if span.size == 1 else "events"
    words = [naming.prefix(None, encode(span.key)), f"{span.size} {noun}"]
    extent = axis.position(span.first), axis.position(span.last)
    return TraceBar(extent, "partial", " ".join(word for word in words if word))


def _bar(bar: TraceBar, y: float) -> Scene:
    if bar.extent is None:
        return Scene(labels=(Label(9, y + 13, bar.text, bar.text_look, "start"),))
    left, right = bar.extent
    width = max(right - left, LEAST_BAR)
    box = Box(left, y, width, BAR_HEIGHT, bar.look, "", full=bar.text)
    if text_width(bar.text, SMALL_CHARACTER) + 6 <= width:
        label = Label(left + width / 2, y + 13, bar.text, bar.text_look)
    else:
        label = _side_label(left, left + width, y + 13, bar.text, bar.text_look)
    return Scene((box,), labels=(label,))


def _side_label(left: float, right: float, y: float, text: str, look: LabelLook) -> Label:
    """A text on the right of a place, or on its left, or where there is most room."""
    width = text_width(text, SMALL_CHARACTER)
    if right + 4 + width <= WIDTH + OVERHANG:
        return Label(right + 4, y, text, look, "start")
    if left - 4 - width >= 0:
        return Label(left - 4, y, text, look, "end")
    return Label(max(0.0, WIDTH + OVERHANG - width), y, text, look, "start")


def _short(text: str) -> str:
    return text if len(text) <= LONGEST_TEXT else f"{text[: LONGEST_TEXT - 2]}.."
