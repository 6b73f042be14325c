"""One HTML page of a film, with nothing to load: the pictures in order, each under its call."""

from collections.abc import Sequence
from html import escape

from muntin.drawing.film import Frame
from muntin.drawing.scene import Scene
from muntin.drawing.svg import STYLE, TRACE_STYLE, svg

LAYOUT = """\
:root { color-scheme: light dark; --page:#fff; --text:#1b1f24; --quiet:#57606a; --rule:#d5d9de }
@media (prefers-color-scheme: dark) { :root { --page:#11161c; --text:#e8ebef; --quiet:#a3adb8;
  --rule:#333c46 } }
body { background: var(--page); color: var(--text); margin: 0 auto; max-width: 72rem;
  padding: 1rem; font: 16px/1.5 system-ui, sans-serif }
h1 { font-size: 1.4rem; margin: .2rem 0; overflow-wrap: anywhere }
p, dl { color: var(--quiet); margin: .4rem 0 }
section { border-top: 1px solid var(--rule); margin-top: 1.2rem; padding-top: .8rem }
h2 { font-size: 1.05rem; margin: 0; overflow-wrap: anywhere }
h2 small { color: var(--quiet); font-weight: normal; margin-right: .5em }
figure { margin: .6rem 0 0; overflow-x: auto }
figure svg { display: block; width: 100%; height: auto }
ul.muntin { font: inherit; padding: 0; list-style: none }
ul { display: flex; flex-wrap: wrap; gap: .3rem 1.1rem }
li { color: var(--quiet) }
i { display: inline-block; width: 1em; height: 1em; border: 1px solid var(--quiet);
  margin-right: .4em; vertical-align: -.15em; box-sizing: border-box }
i.round { border-radius: 50% } i.fresh { border: 3px solid var(--fresh) }
"""

TREE = (("up", "up: all below the node"),)
FINGERS = (
    ("inner", "inner: the root, all but its outer children"),
    ("left", "left spine: below the root's first child, but for the node's own first child"),
    ("right", "right spine: below the root's last child, but for the node's own last child"),
    ("up", "up: all below the node"),
    ("up-left", "up, and the left spine depends on it"),
    ("up-right", "up, and the right spine depends on it"),
)
CELLS = (("item", "an item"), ("partial", "an aggregate"), ("vacant", "empty"))
LEGENDS = {"fiba": FINGERS, "btree": TREE}

QUERY_TEXTS = {
    "fiba": "query = left finger, then root, then right finger.",
    "btree": "query = the root.",
    "flatfat": "query = the root, node 1. Leaves are in the order of time; ⊥ is the identity.",
    "reactive": "query = the root or, if the back is before the front, suffix and then prefix. "
    "⊥ is the identity: a leaf that holds no item.",
    "b-int": "query = the fewest intervals that make up the window.",
    "two-stacks": "query = the first partial of the front, then the last of the back. The front "
    "has its top on the left, the back on the right.",
    "two-stacks-lite": "query = the first partial of the front, then the back total.",
    "daba": "query = the partial at F, then the last one before E.",
    "daba-lite": "query = the partial at F, then the back total.",
}


def document(title: str, style: str, *body: str) -> str:
    """An HTML page in this layout and style."""
    head = (
        "<!doctype html>",
        '<html lang="en"><head><meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<title>{escape(title)}</title>",
        f"<style>\n{LAYOUT}{style}</style></head><body>",
    )
    return "\n".join([*head, *body, "</body></html>\n"])


def page(heading: str, name: str, frames: Sequence[Frame], *, coins: bool = False) -> str:
    """The page of a film."""
    query = f"<p>{escape(QUERY_TEXTS.get(name, ''))}</p>"
    header = f"<header><h1>{escape(heading)}</h1>", query, _legend(name, coins=coins), "</header>"
    return document(heading, STYLE, *header, *map(_section, frames))


def trace_page(heading: str, scene: Scene, remarks: Sequence[str]) -> str:
    """The page of a trace: its picture, and why events are late."""
    figure = f"<figure>\n{svg(scene, heading, style='')}</figure>"
    listed = "".join(f"<li>{escape(remark)}</li>" for remark in remarks)
    return document(
        heading, TRACE_STYLE, f"<h1>{escape(heading)}</h1>", figure, f"<ul>{listed}</ul>"
    )


def _legend(name: str, *, coins: bool) -> str:
    marks = [
        f'<li><i class="{look}" style="background:var(--{look})"></i>{escape(words)}</li>'
        for look, words in LEGENDS.get(name, CELLS)
    ]
    marks.append('<li><i class="fresh"></i>new in this step</li>')
    if coins:
        words = "a coin (Lemma 9); a change of height costs one too"
        marks.append(f'<li><i class="round" style="background:var(--coin)"></i>{words}</li>')
    return f'<ul class="muntin">{"".join(marks)}</ul>'


def _section(frame: Frame) -> str:
    remark = f"<p>{escape(frame.remark)}</p>" if frame.remark else ""
    return (
        f'<section id="op-{frame.number}">'
        f"<h2><small>{frame.number}</small>{escape(frame.call)}</h2>"
        f"{remark}\n<figure>\n{svg(frame.scene, frame.title, style='')}</figure></section>"
    )
