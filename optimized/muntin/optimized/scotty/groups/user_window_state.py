"""Checkpoints of a user's window machine behind the tuples that were evicted.

A machine sees each retained tuple again whenever windows are computed; but it resumes from the
state that it had behind what is final, since no event comes before that any more. [Carbone16],
section 3.2; proof: proofs/scotty.md, T5.
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
    """A machine's state, the number of windows begun or tuples evicted, and open starts."""

    state: object = None
    passed_count: int = 0
    open_starts: tuple[int, ...] = ()


class MachineWindows(NamedTuple):
    """The windows of a timeline, and the checkpoint of the machine behind it."""

    intervals: Sequence[Interval]
    checkpoint: MachineCheckpoint


class ResumedMachine:
    """A machine that continues from a copy of a state: it may change what it gets."""

    def __init__(self, machine: Machine, state: object) -> None:
        """Start from this state."""
        self.machine, self.state = machine, deepcopy(state)

    def __call__(self, _: object, event: Event) -> tuple[object, int, int]:
        """Feed the next event to the machine."""
        self.state, first, second = self.machine(self.state, event)
        return None, first, second


def machine_windows(
    window: UserDefined, timeline: Timeline, checkpoint: MachineCheckpoint
) -> MachineWindows:
    """The windows that begin or are open behind the checkpoint."""
    if isinstance(window, UserWindow):
        return _paired_windows(window, timeline, checkpoint)
    return _trigger_windows(window, timeline, checkpoint)


def _paired_windows(
    window: UserWindow, timeline: Timeline, checkpoint: MachineCheckpoint
) -> MachineWindows:
    """The windows of a `UserWindow`: each end closes the window that began first."""
    machine = ResumedMachine(window.machine, checkpoint.state)
    begun_count, open_starts = checkpoint.passed_count, [*checkpoint.open_starts]
    intervals = list[Interval]()
    for positioned, begins, ends in run_machine(machine, timeline):
        if ends > len(open_starts):
            where = positioned.accepted.event
            raise UserCodeError(f"window {begun_count + 1} ends at {where}, not begun")
        intervals += [Interval(start, positioned.coordinate) for start in open_starts[:ends]]
        open_starts = [*open_starts[ends:], *[positioned.coordinate] * begins]
        begun_count += begins
    intervals += [Interval(start, END) for start in open_starts]
    behind = MachineCheckpoint(machine.state, begun_count, tuple(open_starts))
    return MachineWindows(intervals, behind)


def _trigger_windows(
    window: UserTrigger, timeline: Timeline, checkpoint: MachineCheckpoint
) -> MachineWindows:
    """The windows of a `UserTrigger`: its buffer, as ranks, each time that it fires."""
    machine = ResumedMachine(window.machine, checkpoint.state)
    evicted_count, intervals = checkpoint.passed_count, list[Interval]()
    for positioned, evicted, fires in run_machine(machine, timeline):
        evicted_count += evicted
        if fires and evicted_count <= positioned.rank:
            intervals.append(Interval(evicted_count, positioned.rank + 1))
    return MachineWindows(intervals, MachineCheckpoint(machine.state, evicted_count))


def evictable_prefix(
    window: UserDefined,
    timeline: Timeline,
    checkpoint: MachineCheckpoint,
    final_until: float,
    needed: Iterable[int],
) -> tuple[int, MachineCheckpoint]:
    """How many of the oldest tuples may be evicted, and the checkpoint behind them.

    Those up to `final_until` may go, except those in windows that are not final, which are at the
    positions `needed` or later, and what a trigger has not evicted. By window, any event may still
    come before all others. If its state cannot be copied, a machine has to see all tuples again.
    """
    if timeline.dialect.lateness == "window":
        return 0, checkpoint
    placed = timeline.events
    final_count = sum(1 for _ in takewhile(lambda event: event.time <= final_until, placed))
    if final_count and window.measure is not TIME and window.measure is not COUNT:
        last = placed[final_count - 1].coordinate  # more events may come at this coordinate
        final_count = sum(event.coordinate < last for event in placed)
    if final_count and isinstance(window, UserTrigger):
        final = timeline._replace(events=placed[:final_count])
        later = machine_windows(window, final, checkpoint).checkpoint
        final_count = min(final_count, max(0, later.passed_count - placed[0].rank))
    count = min([final_count, *needed])
    later = machine_windows(window, timeline._replace(events=placed[:count]), checkpoint).checkpoint
    return (count, later) if count and _can_be_copied(later.state) else (0, checkpoint)


def _can_be_copied(state: object) -> bool:
    """Whether a machine can resume from a state more than once."""
    try:
        deepcopy(state)
    except Exception:  # noqa: BLE001 - whatever the user's objects raise
        return False
    return True
