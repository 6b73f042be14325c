"""The declared class of every window type is the class that traces show [Li05]."""

import pytest

from muntin.spec.stream import Event
from muntin.spec.windows.context_class import context_class
from muntin.spec.windows.data_driven import (
    LastNEvery,
    Punctuation,
    Rolling,
    Session,
    slide_by_tuple,
)
from muntin.spec.windows.frames import Delta, State, Threshold
from muntin.spec.windows.measure import COUNT
from muntin.spec.windows.periodic import (
    Band,
    Cumulate,
    Landmark,
    Sliding,
    count,
    instant_windows,
    tumbling,
)
from muntin.spec.windows.user_defined import UserTrigger, UserWindow
from muntin.spec.windows.window import WindowType

PIECES = [
    [],
    [(0, 1)],
    [(0, 1), (2, 5)],
    [(2, 5)],
    [(0, 1), (2, 1), (3, 5)],
    [(0, 1), (2, 1), (3, 1), (3, 5), (6, 0)],
    [(0, 1), (2, 5), (3, 5), (7, 5)],
    [(0, 5), (1, 5), (4, 5)],
    [(0, 5), (1, 0), (4, 5), (5, 5)],
    [(-3, 5), (0, 1), (4, 1), (8, 9)],
]
TRACES = [[Event(t, v, punctuation=v == 5) for t, v in piece] for piece in PIECES]


def every_other(state: object, event: Event) -> tuple[object, int, int]:
    """Begin a window with every other event, and end it before the next of these."""
    del event
    n = state if isinstance(state, int) else 0
    return n + 1, int(n % 2 == 0), int(n > 0 and n % 2 == 0)


def last_two(state: object, event: Event) -> tuple[object, int, int]:
    """Keep two events, and fire on a 5."""
    n = state if isinstance(state, int) else 0
    return n + 1, int(n > 1), int(event.value == 5)


KINDS = [
    tumbling(4),
    Sliding(4, 3, 1),
    Sliding(2, 5),
    instant_windows(),
    count(2),
    Landmark(0, 3),
    Cumulate(6, 2),
    Band(1, 4),
    Session(2),
    Session(3, COUNT),
    Punctuation(),
    Rolling(3),
    slide_by_tuple(3, 2),
    LastNEvery(2, 4),
    Delta(2),
    State(),
    Threshold(5, 2),
    UserWindow(every_other),
    UserTrigger(last_two),
]


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: f"{kind.name}")
def test_declared_class_is_the_computed_one(kind: WindowType) -> None:
    assert context_class(kind, TRACES, until=12) == kind.context


def test_a_run_that_needs_no_length_is_known_at_once() -> None:
    assert context_class(Threshold(5, 1), TRACES, until=12) == "FCF"
