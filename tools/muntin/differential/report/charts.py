"""Charts of a report in HTML alone: they fit any width, and their text stays readable."""

from collections.abc import Iterator, Sequence
from html import escape
from itertools import pairwise
from typing import NamedTuple

STYLE = """\
:root { --bar:#2764ae; --bound:#d1480e; --good:#227343; --bad:#b3261e; --faint:#eceef1 }
@media (prefers-color-scheme: dark) { :root { --bar:#5b9be6; --bound:#ff9457; --good:#5cc689;
  --bad:#ff8a80; --faint:#232b34 } }
.bars { display: grid; grid-template-columns: max-content 1fr; gap: .35rem .7rem;
  align-items: center; margin: .6rem 0 }
.bars b { font-weight: normal; overflow-wrap: anywhere }
.bars div { position: relative; background: var(--faint); height: 1.5rem }
.bars div i { position: absolute; inset: 0 auto 0 0; background: var(--bar); opacity: .55;
  border: 0; width: auto; height: auto; margin: 0 }
.bars div u { position: absolute; top: 0; bottom: 0; border-left: 3px solid var(--bound) }
.bars div span { position: absolute; left: .4rem; line-height: 1.5rem; white-space: nowrap }
.columns { display: flex; align-items: flex-end; height: 8rem; gap: 2px; margin: .6rem 0 0;
  border-bottom: 1px solid var(--rule) }
.columns i { flex: 1; background: var(--bar); border: 0; width: auto; margin: 0; min-width: 1px }
.line { position: relative; height: 2.6rem; border-bottom: 1px solid var(--rule);
  margin: 0 .5rem }
.line i { position: absolute; bottom: -.4rem; width: .8rem; height: .8rem; margin: 0 0 0 -.4rem;
  border-radius: 50%; background: var(--bar); border: 0 }
.line span { position: absolute; bottom: .6rem; font-size: .85rem;
  white-space: nowrap }
@media (max-width: 34rem) { .bars { grid-template-columns: 1fr; gap: .15rem }
  .bars div { margin-bottom: .45rem } }
"""


class Bar(NamedTuple):
    """A length with a name and a caption, and its bound if one is claimed."""

    name: str
    length: float
    caption: str
    bound: float | None = None


def bars(items: Sequence[Bar]) -> str:
    """Horizontal bars to one scale; a bound is a line across.

    >>> bars([Bar("a", 1, "one"), Bar("b", 2, "two", 4)]).count("<i ")
    2
    """
    longest = max((max(bar.length, bar.bound or 0) for bar in items), default=0) or 1
    return f'<div class="bars">{"".join(_bar(bar, longest) for bar in items)}</div>'


def _bar(bar: Bar, longest: float) -> str:
    bound = (
        ""
        if bar.bound is None
        else f'<u style="left:min(calc(100% - 3px),{bar.bound / longest:.2%})" title="bound"></u>'
    )
    return (
        f'<b>{escape(bar.name)}</b><div><i style="width:{bar.length / longest:.2%}"></i>{bound}'
        f"<span>{escape(bar.caption)}</span></div>"
    )


def columns(values: Sequence[float], caption: str) -> str:
    """A column for each value, in order, above a caption."""
    highest = max(values, default=0) or 1
    drawn = "".join(
        f'<i style="height:{value / highest:.1%}" title="{value:,.0f}"></i>' for value in values
    )
    return f'<div class="columns">{drawn}</div><p>{escape(caption)}</p>'


MIN_LABEL_DISTANCE = 0.3
"""The least distance of points that get labels, as a share of the line."""


def line(points: Sequence[tuple[float, str]]) -> str:
    """Points on a line, from the first to the last, labelled where there is room.

    >>> line([(5, "a"), (7, "b")]).count("<span")
    2
    """
    return f'<div class="line">{"".join(_points(points))}</div>'


def _points(points: Sequence[tuple[float, str]]) -> Iterator[str]:
    positions = sorted({position for position, _ in points})
    low, width = positions[0], positions[-1] - positions[0] or 1
    has_room = all(b - a >= MIN_LABEL_DISTANCE * width for a, b in pairwise(positions))
    for position in positions:
        labels = escape(", ".join(label for point, label in points if point == position))
        left = f"{(position - low) / width:.2%}"
        yield f'<i style="left:{left}" title="{labels}"></i>'
        if has_room:
            yield f'<span style="left:{left};transform:translateX(-{left})">{labels}</span>'
