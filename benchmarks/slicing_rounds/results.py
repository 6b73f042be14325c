"""The results of a run, as claims, plots and pages read them."""

from dataclasses import dataclass, field

from slicing_rounds.figures import Figure, at
from slicing_rounds.measure import SlicingRow


@dataclass
class SlicingResults:
    """The rows of all figures."""

    figures: list[tuple[Figure, list[SlicingRow]]] = field(
        default_factory=list[tuple[Figure, list[SlicingRow]]]
    )

    def rates(self, figure: str) -> dict[str, dict[str, float]]:
        """The throughput of each implementation, by place on the axis."""
        lines: dict[str, dict[str, float]] = {}
        for entry, rows in self.figures:
            for row in rows if entry.name == figure else ():
                lines.setdefault(row.implementation, {})[at(row.workload, entry.along)] = row.rate
        return lines

    def places(self, figure: str) -> list[str]:
        """The positions on the axis, in order."""
        return list(dict.fromkeys(p for line in self.rates(figure).values() for p in line))

    def rate(self, figure: str, implementation: str, place: str) -> float:
        """One throughput, 0 for a cell that was not measured."""
        return self.rates(figure).get(implementation, {}).get(place, 0.0)

    @property
    def rows(self) -> list[SlicingRow]:
        """The rows of all figures."""
        return [row for _, rows in self.figures for row in rows]
