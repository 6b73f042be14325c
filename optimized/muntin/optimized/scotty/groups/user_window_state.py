"""What a user's machine has made of the tuples that are forgotten, so that it goes on from there.

A machine sees each tuple once more whenever windows are looked for; but from the state that it had
behind what is settled, for nothing comes before that any more. [Carbone16], section 3.2; proof:
proofs/scotty.md, T5.
"""

from collections.abc import Iterable, Sequence
from copy import deepcopy
from itertools import takewhile
from typing import NamedTuple

from muntin.spec.errors import UserCodeError
from muntin.spec.stream import END, Event
from muntin.spec.windows.measure import COUNT, TIME, Timeline
from muntin.spec.windows.user_defined import Machine, UserTrigger, UserWindow, run_machine
from muntin.spec.windows.window import Interval

UserDefined = UserWindow | UserTrigger


class MachineCheckpoint(NamedTuple):
    """A machine's state, how many windows had begun or tuples gone, and where open ones begin."""

    state: object = None
    passed_count: int = 0
    open_starts: tuple[int, ...] = ()


class MachineWindows(NamedTuple):
    """The windows of a line of tuples, and what the machine knows behind them."""

    intervals: Sequence[Interval]
    checkpoint: MachineCheckpoint


class ResumedMachine:
    """A machine that goes on from a state, of which it gets a copy: it may change what it gets."""

    def __init__(self, machine: Machine, state: object) -> None:
        """Start from this state."""
        self.machine, self.state = machine, deepcopy(state)

    def __call__(self, _: object, event: Event) -> tuple[object, int, int]:
        """Let the machine take the next event."""
        self.state, first, second = self.machine(self.state, event)
        return None, first, second


def machine_windows(
    window: UserDefined, timeline: Timeline, checkpoint: MachineCheckpoint
) -> MachineWindows:
    """Return the windows that begin or are open behind the front."""
    return (
        _paired_windows(window, timeline, checkpoint)
        if isinstance(window, UserWindow)
        else _trigger_windows(window, timeline, checkpoint)
    )


def _paired_windows(
    window: UserWindow, timeline: Timeline, checkpoint: MachineCheckpoint
) -> MachineWindows:
    """Let each end be that of the window that began first."""
    machine, begun_count, open_starts = (
        ResumedMachine(window.machine, checkpoint.state),
        checkpoint.passed_count,
        [*checkpoint.open_starts],
    )
    intervals = list[Interval]()
    for positioned, begins, ends in run_machine(machine, timeline):
        if ends > len(open_starts):
            raise UserCodeError(
                f"window {begun_count + 1} ends at {positioned.accepted.event}, not begun"
            )
        intervals += [Interval(start, positioned.coordinate) for start in open_starts[:ends]]
        open_starts = [*open_starts[ends:], *[positioned.coordinate] * begins]
        begun_count += begins
    intervals += [Interval(start, END) for start in open_starts]
    return MachineWindows(
        intervals, MachineCheckpoint(machine.state, begun_count, tuple(open_starts))
    )


def _trigger_windows(
    window: UserTrigger, timeline: Timeline, checkpoint: MachineCheckpoint
) -> MachineWindows:
    """Return the buffer, as ranks, each time that the trigger fires."""
    machine, evicted_count, intervals = (
        ResumedMachine(window.machine, checkpoint.state),
        checkpoint.passed_count,
        list[Interval](),
    )
    for positioned, evicted, fires in run_machine(machine, timeline):
        evicted_count += evicted
        intervals += (
            [Interval(evicted_count, positioned.rank + 1)]
            if fires and evicted_count <= positioned.rank
            else []
        )
    return MachineWindows(intervals, MachineCheckpoint(machine.state, evicted_count))


def evictable_prefix(
    window: UserDefined,
    timeline: Timeline,
    checkpoint: MachineCheckpoint,
    final_until: float,
    needed: Iterable[int],
) -> tuple[int, MachineCheckpoint]:
    """Return how many of the oldest tuples may go, and the front behind them.

    Those at `done` or before may go, but for those in windows that are not settled, which are
    at the positions `needed` or later, and what a trigger has not evicted. By window, any event may
    still come before all others. Without a copy of its state, a machine has to see all again.
    """
    if timeline.dialect.lateness == "window":
        return 0, checkpoint
    placed = timeline.placed
    final_count = sum(
        1 for _ in takewhile(lambda positioned: positioned.time <= final_until, placed)
    )
    if (
        final_count and window.measure is not TIME and window.measure is not COUNT
    ):  # more may come there
        final_count = sum(
            positioned.coordinate < placed[final_count - 1].coordinate for positioned in placed
        )
    if final_count and isinstance(window, UserTrigger):
        later = machine_windows(
            window, timeline._replace(placed=placed[:final_count]), checkpoint
        ).checkpoint
        final_count = min(final_count, max(0, later.passed_count - placed[0].rank))
    count = min([final_count, *needed])
    later = machine_windows(window, timeline._replace(placed=placed[:count]), checkpoint).checkpoint
    return (count, later) if count and _can_be_copied(later.state) else (0, checkpoint)


def _can_be_copied(state: object) -> bool:
    """Whether a machine can go on from a state more than once."""
    try:
        deepcopy(state)
    except Exception:  # noqa: BLE001 - whatever the user's objects raise
        return False
    return True
