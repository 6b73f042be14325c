"""Windows that users program over event order [Carbone16, section 3.2]."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import reduce

from muntin.spec.errors import UserCodeError, positive
from muntin.spec.stream import END, Event
from muntin.spec.windows.measure import COUNT, Measure, PositionedEvent, Timeline
from muntin.spec.windows.window import ContextFree, Interval, WindowType

Machine = Callable[[object, Event], tuple[object, int, int]]
"""On each event, from the state so far (None at first): the next state, and two counts."""

MachineOutput = tuple[PositionedEvent, int, int]


def run_machine(machine: Machine, line: Timeline) -> list[MachineOutput]:
    """Return the counts for each event, or name the one at which the user's machine fails."""

    def act(
        so_far: tuple[object, list[MachineOutput]], at: PositionedEvent
    ) -> tuple[object, list[MachineOutput]]:
        try:
            state, first, second = machine(so_far[0], at.accepted.event)
            counts = positive(first, "a count", -1), positive(second, "a count", -1)
        except Exception as cause:
            where = f"a user-defined window at {at.accepted.event}"
            raise UserCodeError(f"{where} failed: {cause!r}") from cause
        return state, [*so_far[1], (at, *counts)]

    start: tuple[object, list[MachineOutput]] = (None, [])
    return reduce(act, line.placed, start)[1]


@dataclass(frozen=True)
class UserWindow(WindowType):
    """Windows that begin and end when a deterministic machine says so (definition W16).

    Its counts say how many windows begin with the event, and how many end before it. The one
    that began first ends first; what never ends, ends with the stream.
    """

    machine: Machine
    measure: Measure = COUNT
    context, type_name = "FCF", "user-defined"

    def intervals(self, line: Timeline, /) -> Iterable[Interval]:
        """Pair each begin with its end."""
        deeds = run_machine(self.machine, line)
        for i, (at, _, _) in enumerate(deeds):
            begun, ended = sum(d[1] for d in deeds[:i]), sum(d[2] for d in deeds[: i + 1])
            if ended > begun:
                raise UserCodeError(f"window {begun + 1} ends at {at.accepted.event}, not begun")
        starts = [at.coordinate for at, begins, _ in deeds for _ in range(begins)]
        ends: list[float] = [at.coordinate for at, _, ends in deeds for _ in range(ends)]
        known = [*ends, *[END] * (len(starts) - len(ends))]
        return [Interval(start, end) for start, end in zip(starts, known, strict=True)]


@dataclass(frozen=True)
class UserTrigger(ContextFree):
    """Windows by eviction and trigger, which need all records (definition W17).

    Each event enters a buffer. The counts say how many of the oldest leave, and whether (1 or 0)
    what remains is a window.
    """

    machine: Machine
    measure: Measure = field(default=COUNT, init=False)
    context, type_name = "FCA", "user-trigger"

    def intervals(self, line: Timeline, /) -> Iterable[Interval]:
        """Return the buffer, as ranks, each time that the trigger fires."""
        deeds = run_machine(self.machine, line)
        left = [
            (at.rank, sum(d[1] for d in deeds[: i + 1]), fires)
            for i, (at, _, fires) in enumerate(deeds)
        ]
        return {Interval(gone, rank + 1) for rank, gone, fires in left if fires and gone <= rank}
