"""SVG text of a scene: self-contained, with a dark mode."""

from html import escape

from muntin.drawing.scene import Box, Coin, Edge, EventMark, Label, Scene

MIN_SCALE = 0.72
"""The least scale of a picture; in narrower pages it is scrolled."""

NAMESPACE = "http://www.w3.org/2000/svg"
STYLE = """\
.muntin { --paper:#fff; --ink:#1b1f24; --muted:#57606a; --line:#6e7781; --plain:#f4f5f7;
  --up:#fff; --up-left:#d3e5f8; --up-right:#d3edda; --inner:#cdd2d8; --left:#1d4f91;
  --right:#a6dcb8; --on-left:#fff; --on-right:#10331f; --item:#fff; --partial:#fdf3d8;
  --vacant:#eceef1; --fresh:#d1480e; --coin:#f0b429; --rim:#8a6410;
  font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace;
  font-size: 14px }
@media (prefers-color-scheme: dark) { .muntin { --paper:#11161c; --ink:#e8ebef; --muted:#a3adb8;
  --line:#7d8894; --plain:#1a2129; --up:#11161c; --up-left:#183a5e; --up-right:#164229;
  --inner:#4b545f; --left:#8fc0ff; --right:#1c6339; --on-left:#0b1f38;
  --on-right:#fff; --item:#11161c; --partial:#3b3115;
  --vacant:#232b34; --fresh:#ff9457; --coin:#f0b429; --rim:#ffdf91 } }
.muntin rect { stroke: var(--line); stroke-width: 1 }
.muntin rect.paper { fill: var(--paper); stroke: none }
.muntin .edge { stroke: var(--line); stroke-width: 1.2 }
.muntin .bracket { stroke: var(--ink); stroke-width: 2 }
.muntin text { fill: var(--ink); text-anchor: middle }
.muntin text.start { text-anchor: start } .muntin text.end { text-anchor: end }
.muntin .above, .muntin .note { fill: var(--muted); font-size: 12px }
.muntin .mark { font-size: 12px; font-weight: 600 }
.muntin .caption { font-weight: 600 }
.muntin .left text { fill: var(--on-left) } .muntin .right text { fill: var(--on-right) }
.muntin .vacant text { fill: var(--muted) }
.muntin .coin { fill: var(--coin); stroke: var(--rim); stroke-width: 1 }
.muntin .fresh rect { stroke: var(--fresh); stroke-width: 2.5 }
""" + "".join(
    f".muntin .{look} rect {{ fill: var(--{look}) }}\n"
    for look in (
        "plain",
        "up",
        "up-left",
        "up-right",
        "inner",
        "left",
        "right",
        "item",
        "partial",
        "vacant",
    )
)


TRACE_STYLE = """\
.muntin { --paper:#fff; --ink:#1b1f24; --muted:#57606a; --line:#6e7781; --grid:#dfe3e8;
  --new:#1d6b3a; --new-bar:#d9f0e0; --updated:#1f5aa6; --updated-bar:#d8e7f9; --retracted:#7a3fc4;
  --late:#b3261e; --watermark:#b8430a; --final-bar:#e3e6ea; --partial:#fdf3d8;
  font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace;
  font-size: 12px }
@media (prefers-color-scheme: dark) { .muntin { --paper:#11161c; --ink:#e8ebef; --muted:#a3adb8;
  --line:#7d8894; --grid:#29313a; --new:#6fd394; --new-bar:#153a23; --updated:#7fbcff;
  --updated-bar:#173452; --retracted:#c9a6ff; --late:#ff8a80; --watermark:#ff9457;
  --final-bar:#2a323b; --partial:#3b3115 } }
.muntin .paper { fill: var(--paper) }
.muntin g rect { stroke: var(--line); fill: none }
.muntin text { fill: var(--ink); text-anchor: middle }
.muntin .start { text-anchor: start } .muntin .end { text-anchor: end }
.muntin .start, .muntin .end { paint-order: stroke; stroke: var(--paper); stroke-width: 3 }
.muntin .note { fill: var(--muted) } .muntin .mark { font-weight: 600 }
.muntin line { stroke: var(--grid) }
.muntin line.watermark { stroke: var(--watermark); stroke-width: 2.5; stroke-linecap: square }
.muntin line.limit { stroke: var(--late); stroke-width: 1.5; stroke-dasharray: 4 3 }
.muntin .new rect { fill: var(--new-bar) } .muntin .updated rect { fill: var(--updated-bar) }
.muntin .retracted rect, .muntin .open rect { stroke-dasharray: 3 3 }
.muntin .final rect { fill: var(--final-bar) } .muntin .partial rect { fill: var(--partial) }
.muntin text.new { fill: var(--new) } .muntin text.updated { fill: var(--updated) }
.muntin text.retracted { fill: var(--retracted) } .muntin text.late { fill: var(--late) }
.muntin path { fill: var(--ink) } .muntin path.behind { fill: var(--watermark) }
.muntin path.late { fill: none; stroke: var(--late); stroke-width: 2 }
"""
MARKS = {
    "on-time": "M-5 0a5 5 0 1 0 10 0a5 5 0 1 0 -10 0",
    "behind": "M0 -7L7 0L0 7L-7 0Z",
    "late": "M-6 0a6 6 0 1 0 12 0a6 6 0 1 0 -12 0M-4 -4L4 4M-4 4L4 -4",
}
"""Events as paths: a disc, a diamond, a ring with a cross."""


def svg(scene: Scene, title: str, *, caption: bool = False, style: str = STYLE) -> str:
    """A picture as text, perhaps with its title in it; without a style it needs that of a page.

    >>> svg(Scene(), "nothing", style="").startswith("<svg")
    True
    """
    left, top, _, height = scene.frame()
    if caption:
        scene += Scene(labels=(Label(left + 14, top + 2, title, "caption", "start"),))
    left, top, width, height = scene.frame()
    view = " ".join(map(_number, (left, top, width, height)))
    size = f'width="{_number(width)}" height="{_number(height)}"'
    limits = f'style="max-width:{_number(width)}px;min-width:{_number(MIN_SCALE * width)}px"'
    parts = [
        f'<svg xmlns="{NAMESPACE}" class="muntin" role="img" viewBox="{view}" {size} {limits}>',
        f"<title>{escape(title)}</title>",
        f"<style>\n{style}</style>" if style else "",
        f'<rect class="paper" x="{_number(left)}" y="{_number(top)}" {size}/>',
        *map(_edge, scene.edges),
        *(_box(box) for box in sorted(scene.boxes, key=lambda box: box.fresh)),
        *map(_label, scene.labels),
        *map(_coin, scene.coins),
        *map(_mark, scene.marks),
        "</svg>",
    ]
    return "\n".join(part for part in parts if part) + "\n"


def _number(value: float) -> str:
    return f"{value:.1f}".removesuffix(".0")


def _box(box: Box) -> str:
    look = f"{box.look} fresh" if box.fresh else box.look
    middle, high, above = _number(box.middle), _number(box.y + 15), escape(box.above)
    base = _number(box.bottom - 8 if above else box.y + box.height / 2 + 5)
    small = f'<text class="above" x="{middle}" y="{high}">{above}</text>' if above else ""
    return (
        f'<g class="{look}"><title>{escape(box.full)}</title>'
        f'<rect x="{_number(box.x)}" y="{_number(box.y)}" width="{_number(box.width)}" '
        f'height="{_number(box.height)}"/>{small}'
        f'<text x="{middle}" y="{base}">{escape(box.text)}</text></g>'
    )


def _edge(edge: Edge) -> str:
    ends = {"x1": edge.x1, "y1": edge.y1, "x2": edge.x2, "y2": edge.y2}
    places = " ".join(f'{name}="{_number(value)}"' for name, value in ends.items())
    return f'<line class="{edge.look}" {places}/>'


def _label(label: Label) -> str:
    return (
        f'<text class="{label.look} {label.anchor}" x="{_number(label.x)}" '
        f'y="{_number(label.y)}">{escape(label.text)}</text>'
    )


def _coin(coin: Coin) -> str:
    place = f'cx="{_number(coin.x)}" cy="{_number(coin.y)}" r="{_number(coin.radius)}"'
    return f'<circle class="coin" {place}><title>a coin</title></circle>'


def _mark(mark: EventMark) -> str:
    place = f"translate({_number(mark.x)},{_number(mark.y)})"
    return (
        f'<path class="{mark.look}" transform="{place}" d="{MARKS[mark.look]}">'
        f"<title>{escape(mark.full)}</title></path>"
    )
