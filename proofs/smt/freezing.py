"""Completeness and freezing (rules 9 and 12), and why sessions merge below the gap (rule 8).

Model: an event is its time, a window an interval [start, end) of times, the watermark w an integer
that never falls, the allowed lateness L an integer from 0 on. An event that keeps the watermark's
promise has time >= w; by event, one is accepted iff time >= w - L. A session is its first and last
time, and ends a gap after the last. Events in order are those sorted by time, then by arrival.
"""

from z3 import And, If, Ints, Not, Or

from evidence.theorem import Statement, Theorem

TIME, START, END = Ints("time start end")
WATERMARK, LATER, LATENESS = Ints("watermark later lateness")
FIRST, LAST, GAP, OWN_GAP = Ints("first last gap own_gap")
WINDOW = START < END
VALID_LATENESS = And(LATENESS >= 0, LATER >= WATERMARK)
ACCEPTED = And(VALID_LATENESS, TIME >= LATER - LATENESS)
FROZEN = END <= WATERMARK - LATENESS
INSIDE = And(START <= TIME, TIME < END)
SESSION = And(FIRST <= LAST, GAP > 0, OWN_GAP > 0)
MEETS = And(TIME < LAST + GAP, FIRST < TIME + OWN_GAP)
TOUCHES = And(TIME <= LAST + GAP, FIRST <= TIME + OWN_GAP)


def a_complete_window_is_whole() -> Theorem:
    """Rule 9: no event that keeps the promise falls into a window that ends at or before w."""
    given = And(WINDOW, END <= WATERMARK, TIME >= WATERMARK)
    early = And(WINDOW, END - 1 <= WATERMARK, TIME >= WATERMARK)
    return Theorem(
        given,
        Not(INSIDE),
        {
            "the end belongs to the window": Statement(given, Not(And(START <= TIME, TIME <= END))),
            "complete one before its end": Statement(early, Not(INSIDE)),
        },
    )


def a_frozen_window_never_changes() -> Theorem:
    """Rule 12: no event accepted later falls into a window that ends at or before w - L."""
    given = And(WINDOW, FROZEN, ACCEPTED)
    complete = And(WINDOW, END <= WATERMARK, ACCEPTED)
    falling = And(WINDOW, FROZEN, LATENESS >= 0, TIME >= LATER - LATENESS)
    sloppy = And(WINDOW, FROZEN, VALID_LATENESS, TIME >= LATER - LATENESS - 1)
    return Theorem(
        given,
        Not(INSIDE),
        {
            "as soon as it is complete": Statement(complete, Not(INSIDE)),
            "the watermark may fall": Statement(falling, Not(INSIDE)),
            "one time unit more is accepted": Statement(sloppy, Not(INSIDE)),
        },
    )


def nothing_earlier_is_frozen_too_soon() -> Theorem:
    """Rule 12 is sharp: into a window that is not frozen an accepted event may fall."""
    given = And(WINDOW, LATENESS >= 0, END > WATERMARK - LATENESS)
    event = If(START >= WATERMARK - LATENESS, START, WATERMARK - LATENESS)
    then = And(event >= START, event < END, event >= WATERMARK - LATENESS)
    frozen = And(WINDOW, LATENESS >= 0, END >= WATERMARK - LATENESS)
    return Theorem(given, then, {"at its end as well": Statement(frozen, then)})


def events_of_frozen_windows_are_never_needed() -> Theorem:
    """Eviction: past u + size <= w - L no window of that size holds both u and a new event."""
    event, size = Ints("event size")
    both = And(event >= START, event < START + size, START <= TIME, START + size > TIME)
    given = And(size > 0, event + size <= WATERMARK - LATENESS, ACCEPTED)
    sooner = And(size > 0, event + size <= WATERMARK - LATENESS + 1, ACCEPTED)
    early = And(size > 0, event <= WATERMARK - LATENESS, ACCEPTED)
    return Theorem(
        given,
        Not(both),
        {
            "one time unit sooner": Statement(sooner, Not(both)),
            "as soon as no event can come before it": Statement(early, Not(both)),
        },
    )


def a_complete_session_is_whole() -> Theorem:
    """Rule 8 with 9: merging below the gap, no event to come meets a session that has ended."""
    given = And(SESSION, LAST + GAP <= WATERMARK, TIME >= WATERMARK)
    return Theorem(
        given,
        Not(MEETS),
        {
            "sessions merge at exactly the gap": Statement(given, Not(TOUCHES)),
            "a session ends with its last event": Statement(
                And(SESSION, LAST + 1 <= WATERMARK, TIME >= WATERMARK), Not(MEETS)
            ),
        },
    )


def a_frozen_session_never_changes() -> Theorem:
    """Rule 8 with 12: no accepted event meets a session that is frozen."""
    given = And(SESSION, LAST + GAP <= WATERMARK - LATENESS, ACCEPTED)
    return Theorem(
        given,
        Not(MEETS),
        {
            "sessions merge at exactly the gap": Statement(given, Not(TOUCHES)),
            "as soon as it is complete": Statement(
                And(SESSION, LAST + GAP <= WATERMARK, ACCEPTED), Not(MEETS)
            ),
        },
    )


def a_complete_count_window_keeps_its_ranks() -> Theorem:
    """Rule 9 for ranks: past the last event's time, every new event is after it in event order."""
    arrival, new_arrival = Ints("arrival new_arrival")
    given = And(LAST < WATERMARK, TIME >= WATERMARK, new_arrival > arrival)
    behind = Or(LAST < TIME, And(LAST == TIME, arrival < new_arrival))
    allowed = And(LAST < WATERMARK, ACCEPTED, new_arrival > arrival)
    return Theorem(
        given,
        behind,
        {
            "within the allowed lateness": Statement(allowed, behind),
            "one time unit sooner, had ties no order": Statement(
                And(LAST <= WATERMARK, TIME >= WATERMARK), LAST < TIME
            ),
        },
    )


def a_frozen_count_window_keeps_its_ranks() -> Theorem:
    """Rule 12 for ranks: past the last event's time and the lateness."""
    given = And(LAST < WATERMARK - LATENESS, ACCEPTED)
    complete = And(LAST < WATERMARK, ACCEPTED)
    return Theorem(
        given, LAST < TIME, {"as soon as it is complete": Statement(complete, LAST < TIME)}
    )
