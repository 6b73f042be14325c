"""What a run has found, and the questions that claims, plots and pages ask of it."""

from dataclasses import dataclass, field

from slicing_rounds.figures import Figure, at
from slicing_rounds.measure import Row


@dataclass
class Results:
    """The rows of all figures."""

    found: list[tuple[Figure, list[Row]]] = field(default_factory=list[tuple[Figure, list[Row]]])

    def rates(self, figure: str) -> dict[str, dict[str, float]]:
        """Return the throughput of each contender, by place on the axis."""
        lines: dict[str, dict[str, float]] = {}
        for one, rows in self.found:
            for row in rows if one.name == figure else ():
                lines.setdefault(row.contender, {})[at(row.workload, one.along)] = row.rate
        return lines

    def places(self, figure: str) -> list[str]:
        """Return the places on the axis, in order."""
        return list(dict.fromkeys(p for line in self.rates(figure).values() for p in line))

    def rate(self, figure: str, contender: str, place: str) -> float:
        """Return one of them, 0 if there was no such cell."""
        return self.rates(figure).get(contender, {}).get(place, 0.0)

    @property
    def rows(self) -> list[Row]:
        """All of them."""
        return [row for _, rows in self.found for row in rows]
