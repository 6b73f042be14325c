"""What windows look at in events besides their times: values, gaps and marks of the rows."""

from collections.abc import Iterable, Mapping

from muntin.spec.errors import InvalidInputError
from muntin.spec.windows.data_driven import LastNEvery, Punctuation, Rolling, Session
from muntin.spec.windows.frames import Delta, State, Threshold
from muntin.spec.windows.measure import COUNT, TIME
from muntin.spec.windows.periodic import Band, Cumulate, Landmark, Sliding
from muntin.spec.windows.window import WindowType

VALUE, GAP, MARK = "value", "gap", "mark"
EVERYTHING = frozenset({VALUE, GAP, MARK})
INPUTS: Mapping[type[WindowType], frozenset[str]] = {
    **dict.fromkeys((Sliding, Cumulate, Landmark, Band, Rolling, LastNEvery), frozenset[str]()),
    **dict.fromkeys((Delta, State, Threshold), frozenset({VALUE})),
    Session: frozenset({GAP}),
    Punctuation: frozenset({MARK}),
}


def inputs_of(kind: WindowType) -> frozenset[str]:
    """What a window type may look at; code of the user's may look at everything.

    >>> sorted(inputs_of(Session(3))), sorted(inputs_of(Punctuation(lambda event: True)))
    (['gap'], ['gap', 'mark', 'value'])
    """
    measured = kind.measure is TIME or kind.measure is COUNT
    by_function = isinstance(kind, Punctuation) and kind.marks is not Punctuation().marks
    return INPUTS.get(type(kind), EVERYTHING) if measured and not by_function else EVERYTHING


def inputs_of_all(kinds: Iterable[WindowType]) -> frozenset[str]:
    """What some window may look at."""
    return frozenset[str]().union(*map(inputs_of, kinds))


def check_inputs(windows: Mapping[str, WindowType], gap: str | None, mark: str | None) -> None:
    """Refuse gaps and marks that no window looks at, and punctuations that nothing marks.

    A column that nothing reads costs the fast strategies, and a window without its input is never
    emitted.
    """
    inputs = inputs_of_all(windows.values())
    for name, column, reader in ((GAP, gap, "Session"), (MARK, mark, "Punctuation")):
        if column is not None and name not in inputs:
            raise InvalidInputError(
                f"{name}={column!r} does nothing: no window here looks at it, as {reader} does; "
                "leave it out"
            )
    for id_, kind in windows.items():
        if mark is None and inputs_of(kind) == frozenset({MARK}):
            raise InvalidInputError(
                f"window {id_!r}: nothing marks punctuations; say mark='a column of booleans'"
            )
