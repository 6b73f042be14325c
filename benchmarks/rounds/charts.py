"""Charts with dark text on white, which is readable on a page of any colour."""

# The keywords of matplotlib have no types, so:
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false

from collections.abc import Iterable, Mapping
from contextlib import AbstractContextManager
from math import log2
from pathlib import Path

from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.figure import Figure

WIDTH, PANEL = 7.5, 4.6

Lines = Mapping[str, Mapping[int, float]]


def spread_labels(heights: Iterable[float], gap: float) -> list[float]:
    """Positions for labels near their heights, in order, none closer than the gap.

    >>> spread_labels([0.0, 0.1, 5.0], 1.0)
    [-0.45, 0.55, 5.0]
    """
    groups = [[height] for height in heights]
    centre = [group[0] for group in groups]
    while True:
        tops = [c + gap * len(g) / 2 for c, g in zip(centre, groups, strict=True)]
        bottoms = [c - gap * len(g) / 2 for c, g in zip(centre, groups, strict=True)]
        clash = next((k for k in range(len(groups) - 1) if tops[k] > bottoms[k + 1] + 1e-9), None)
        if clash is None:
            break
        groups[clash : clash + 2] = [groups[clash] + groups[clash + 1]]
        centre[clash : clash + 2] = [sum(groups[clash]) / len(groups[clash])]
    return [
        round(c + gap * (k - (len(g) - 1) / 2), 6)
        for c, g in zip(centre, groups, strict=True)
        for k in range(len(g))
    ]


def name_lines(
    axes: Axes, lines: Lines, colours: Mapping[str, str], at: float, *, straight: bool
) -> None:
    """Write the name of each line after its end, without overlaps."""

    def scale(height: float) -> float:
        return height if straight else log2(height)

    ends = sorted((list(line.values())[-1], name) for name, line in lines.items())
    low, high = map(scale, axes.get_ylim())
    places = spread_labels((scale(height) for height, _ in ends), (high - low) * 0.06)
    for place, (height, name) in zip(places, ends, strict=True):
        axes.annotate(
            name,
            (max(lines[name]), height),
            (at, place if straight else 2**place),
            color=colours[name],
            va="center",
            fontsize=12,
            annotation_clip=False,
            arrowprops={"arrowstyle": "-", "color": colours[name], "lw": 0.6},
        )


def panels(count: int) -> tuple[Figure, list[Axes]]:
    """A figure of panels, one below another."""
    figure = Figure(figsize=(WIDTH, PANEL * count), layout="constrained")
    return figure, [figure.add_subplot(count, 1, k + 1) for k in range(count)]


def style() -> AbstractContextManager[None]:
    """The style of all charts."""
    return rc_context(
        {
            "font.size": 13,
            "axes.spines.top": False,
            "axes.spines.right": False,
            "axes.grid": True,
            "grid.color": "#dddddd",
            "svg.hashsalt": "muntin",
            "savefig.facecolor": "white",
        }
    )


def write(figures: Mapping[str, Figure], folder: Path) -> list[str]:
    """Write each figure as SVG and PNG, and return their names."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, figure in figures.items():
        path = folder / f"{name}.svg"
        figure.savefig(path, metadata={"Date": None})
        path.write_text(with_dark_mode(path.read_text("utf-8")), "utf-8")
        figure.savefig(folder / f"{name}.png", dpi=100)
    return list(figures)


DARK = "@media (prefers-color-scheme: dark) { svg { filter: invert(.93) hue-rotate(180deg) } }"
"""Light and dark change places, and hues stay: a chart in a dark page is dark."""


def with_dark_mode(svg: str) -> str:
    """A chart that follows the theme of the page that shows it.

    >>> with_dark_mode('<svg><style type="text/css">*{}</style></svg>').count("prefers-color")
    1
    """
    return svg if DARK in svg else svg.replace("</style>", f" {DARK}</style>", 1)
