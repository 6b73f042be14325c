"""The plots."""

# The keywords of matplotlib have no types, so:
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false

from pathlib import Path

from matplotlib.figure import Figure as Drawing

from rounds.charts import name_lines, panels, style, write
from slicing_rounds.figures import Figure
from slicing_rounds.results import SlicingResults

COLOURS = {
    "scotty-lazy": "#cc3399",
    "scotty-eager": "#e377c2",
    "scotty-fiba": "#7a0055",
    "pairs": "#56b4e9",
    "cutty-lazy": "#0072b2",
    "cutty-eager": "#003f66",
    "tuple-buffer": "#777777",
    "tuple-buckets": "#e69f00",
    "aggregate-buckets": "#b8860b",
    "aggregate-tree": "#a6761d",
}


def drawn(results: SlicingResults, figure: Figure) -> Drawing:
    """Draw the throughput of each operator along the axis of a figure."""
    lines, places = results.rates(figure.name), results.places(figure.name)
    position = {place: index for index, place in enumerate(places)}
    heights = {
        name: {position[place]: rate for place, rate in line.items()}
        for name, line in lines.items()
    }
    drawing, (axes,) = panels(1)
    for name, line in heights.items():
        axes.plot(list(line), list(line.values()), "-o", color=COLOURS[name], lw=2, ms=4)
    axes.set_yscale("log")
    turn = 45 if figure.along == "aggregate" else 0
    axes.set_xticks(range(len(places)), places, rotation=turn)
    axes.set_title(figure.title, loc="left", fontsize=14)
    axes.set_xlabel(figure.along)
    axes.set_ylabel("tuples a second")
    name_lines(axes, heights, COLOURS, len(places) - 0.6, straight=False)
    return drawing


def save(results: SlicingResults, folder: Path) -> list[str]:
    """Write each plot as SVG and PNG, and return their names."""
    with style():
        drawings = {
            f"slicing-{figure.name}": drawn(results, figure) for figure, _ in results.figures
        }
        return write(drawings, folder)
