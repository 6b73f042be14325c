"""Windows that users program over event order [Carbone16, section 3.2]."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import reduce

from muntin.spec.errors import UserCodeError, positive
from muntin.spec.stream import END, Event
from muntin.spec.windows.measure import COUNT, Measure, PositionedEvent, Timeline
from muntin.spec.windows.window import ContextFreeWindow, Interval, WindowType

Machine = Callable[[object, Event], tuple[object, int, int]]
"""On each event, from the state so far (None at first): the next state, and two counts."""

MachineOutput = tuple[PositionedEvent, int, int]


def run_machine(machine: Machine, timeline: Timeline) -> list[MachineOutput]:
    """The two counts for each event; an error names the event at which the user's code fails."""

    def act(
        so_far: tuple[object, list[MachineOutput]], event: PositionedEvent
    ) -> tuple[object, list[MachineOutput]]:
        try:
            state, first, second = machine(so_far[0], event.accepted.event)
            counts = positive(first, "a count", -1), positive(second, "a count", -1)
        except Exception as cause:
            where = f"a user-defined window at {event.accepted.event}"
            raise UserCodeError(f"{where} failed: {cause!r}") from cause
        return state, [*so_far[1], (event, *counts)]

    start: tuple[object, list[MachineOutput]] = (None, [])
    return reduce(act, timeline.events, start)[1]


@dataclass(frozen=True)
class UserWindow(WindowType):
    """Windows that begin and end where a deterministic machine decides (definition W16).

    Its counts are how many windows begin with the event, and how many end before it. The one
    that began first ends first; what never ends, ends with the stream.
    """

    machine: Machine
    measure: Measure = COUNT
    context, type_name = "FCF", "user-defined"

    def intervals(self, timeline: Timeline, /) -> Iterable[Interval]:
        """Pair each begin with its end."""
        outputs = run_machine(self.machine, timeline)
        for i, (event, _, _) in enumerate(outputs):
            begun, ended = sum(o[1] for o in outputs[:i]), sum(o[2] for o in outputs[: i + 1])
            if ended > begun:
                where = event.accepted.event
                raise UserCodeError(f"window {begun + 1} ends at {where}, not begun")
        starts = [event.coordinate for event, begins, _ in outputs for _ in range(begins)]
        ends: list[float] = [event.coordinate for event, _, ends in outputs for _ in range(ends)]
        open_ends = [END] * (len(starts) - len(ends))
        return [Interval(s, end) for s, end in zip(starts, [*ends, *open_ends], strict=True)]


def user_window(machine: Machine, measure: Measure = COUNT) -> UserWindow:
    """`user_window(lambda n, e: (0, 1, int(n == 0)))` of events at 4, 7 is [0, 1) [1, END)."""
    return UserWindow(machine, measure)


@dataclass(frozen=True)
class UserTrigger(ContextFreeWindow):
    """Windows by eviction and trigger, which need all records (definition W17).

    Each event enters a buffer. The counts are how many of the oldest leave, and whether (1 or 0)
    what remains is a window.
    """

    machine: Machine
    measure: Measure = field(default=COUNT, init=False)
    context, type_name = "FCA", "user-trigger"

    def intervals(self, timeline: Timeline, /) -> Iterable[Interval]:
        """The buffer, as ranks, each time that the trigger fires."""
        outputs = run_machine(self.machine, timeline)
        buffers = [
            (event.rank, sum(output[1] for output in outputs[: i + 1]), fires)
            for i, (event, _, fires) in enumerate(outputs)
        ]
        return {Interval(first, r + 1) for r, first, fires in buffers if fires and first <= r}


def user_trigger(machine: Machine) -> UserTrigger:
    """`user_trigger(lambda n, e: (1, int(n == 1), 1))` of events at 4, 7 is [0, 1) [1, 2)."""
    return UserTrigger(machine)
