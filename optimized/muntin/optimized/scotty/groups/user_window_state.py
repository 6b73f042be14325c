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
    passed: int = 0
    opened: tuple[int, ...] = ()


class MachineWindows(NamedTuple):
    """The windows of a line of tuples, and what the machine knows behind them."""

    intervals: Sequence[Interval]
    front: MachineCheckpoint


class ResumedMachine:
    """A machine that goes on from a state, of which it gets a copy: it may change what it gets."""

    def __init__(self, machine: Machine, state: object) -> None:
        """Start from this state."""
        self.machine, self.state = machine, deepcopy(state)

    def __call__(self, _: object, event: Event) -> tuple[object, int, int]:
        """Let the machine take the next event."""
        self.state, first, second = self.machine(self.state, event)
        return None, first, second


def found(kind: UserDefined, line: Timeline, front: MachineCheckpoint) -> MachineWindows:
    """Return the windows that begin or are open behind the front."""
    return _paired(kind, line, front) if isinstance(kind, UserWindow) else _fired(kind, line, front)


def _paired(kind: UserWindow, line: Timeline, front: MachineCheckpoint) -> MachineWindows:
    """Let each end be that of the window that began first."""
    going, begun, opened = ResumedMachine(kind.machine, front.state), front.passed, [*front.opened]
    intervals = list[Interval]()
    for at, begins, ends in run_machine(going, line):
        if ends > len(opened):
            raise UserCodeError(f"window {begun + 1} ends at {at.accepted.event}, not begun")
        intervals += [Interval(start, at.coordinate) for start in opened[:ends]]
        opened = [*opened[ends:], *[at.coordinate] * begins]
        begun += begins
    intervals += [Interval(start, END) for start in opened]
    return MachineWindows(intervals, MachineCheckpoint(going.state, begun, tuple(opened)))


def _fired(kind: UserTrigger, line: Timeline, front: MachineCheckpoint) -> MachineWindows:
    """Return the buffer, as ranks, each time that the trigger fires."""
    going, gone, intervals = (
        ResumedMachine(kind.machine, front.state),
        front.passed,
        list[Interval](),
    )
    for at, evicted, fires in run_machine(going, line):
        gone += evicted
        intervals += [Interval(gone, at.rank + 1)] if fires and gone <= at.rank else []
    return MachineWindows(intervals, MachineCheckpoint(going.state, gone))


def evictable_prefix(
    kind: UserDefined, line: Timeline, front: MachineCheckpoint, done: float, needed: Iterable[int]
) -> tuple[int, MachineCheckpoint]:
    """Return how many of the oldest tuples may go, and the front behind them.

    Those at `done` or before may go, but for those in windows that are not settled, which are
    at the positions `needed` or later, and what a trigger has not evicted. By window, any event may
    still come before all others. Without a copy of its state, a machine has to see all again.
    """
    if line.dialect.lateness == "window":
        return 0, front
    placed = line.events
    settled = sum(1 for _ in takewhile(lambda at: at.time <= done, placed))
    if settled and kind.measure is not TIME and kind.measure is not COUNT:  # more may come there
        settled = sum(at.coordinate < placed[settled - 1].coordinate for at in placed)
    if settled and isinstance(kind, UserTrigger):
        behind = found(kind, line._replace(events=placed[:settled]), front).front
        settled = min(settled, max(0, behind.passed - placed[0].rank))
    count = min([settled, *needed])
    behind = found(kind, line._replace(events=placed[:count]), front).front
    return (count, behind) if count and _can_be_copied(behind.state) else (0, front)


def _can_be_copied(state: object) -> bool:
    """Whether a machine can go on from a state more than once."""
    try:
        deepcopy(state)
    except Exception:  # noqa: BLE001 - whatever the user's objects raise
        return False
    return True
