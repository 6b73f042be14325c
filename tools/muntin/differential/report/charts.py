"""Charts of a report, in HTML alone: they fit any width, and their words stay readable."""

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
    """A length with a name and some words, and what it may be at most, if that is known."""

    name: str
    length: float
    words: str
    bound: float | None = None


def bars(items: Sequence[Bar]) -> str:
    """Return horizontal bars to one scale; a bound is a line across.

    >>> bars([Bar("a", 1, "one"), Bar("b", 2, "two", 4)]).count("<i ")
    2
    """
    most = max((max(one.length, one.bound or 0) for one in items), default=0) or 1
    return f'<div class="bars">{"".join(_bar(one, most) for one in items)}</div>'


def _bar(one: Bar, most: float) -> str:
    bound = (
        ""
        if one.bound is None
        else f'<u style="left:min(calc(100% - 3px),{one.bound / most:.2%})" title="its bound"></u>'
    )
    return (
        f'<b>{escape(one.name)}</b><div><i style="width:{one.length / most:.2%}"></i>{bound}'
        f"<span>{escape(one.words)}</span></div>"
    )


def columns(values: Sequence[float], words: str) -> str:
    """Return a column for each value, in order, and what they are in words."""
    most = max(values, default=0) or 1
    drawn = "".join(
        f'<i style="height:{value / most:.1%}" title="{value:,.0f}"></i>' for value in values
    )
    return f'<div class="columns">{drawn}</div><p>{escape(words)}</p>'


APART = 0.3
"""How far apart points must be, as a part of the line, to have their words beside them."""


def line(points: Sequence[tuple[float, str]]) -> str:
    """Return points on a line, from the first to the last, labelled where there is room.

    >>> line([(5, "a"), (7, "b")]).count("<span")
    2
    """
    return f'<div class="line">{"".join(_points(points))}</div>'


def _points(points: Sequence[tuple[float, str]]) -> Iterator[str]:
    places = sorted({place for place, _ in points})
    low, wide = places[0], places[-1] - places[0] or 1
    roomy = all(b - a >= APART * wide for a, b in pairwise(places))
    for place in places:
        words = escape(", ".join(label for at, label in points if at == place))
        left = f"{(place - low) / wide:.2%}"
        yield f'<i style="left:{left}" title="{words}"></i>'
        if roomy:
            yield f'<span style="left:{left};transform:translateX(-{left})">{words}</span>'
