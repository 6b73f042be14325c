"""What windows look at in events besides their times: values, own gaps and marks.

A column that is brought for nothing costs the fast ways, and a window without what it looks at
answers nothing.
"""

from collections.abc import Mapping
from dataclasses import replace

from muntin.spark.call.query_plan import AggregationPlan
from muntin.spec.errors import InvalidInputError
from muntin.spec.windows.data_driven import LastNEvery, Punctuation, Rolling, Session
from muntin.spec.windows.frames import Delta, State, Threshold
from muntin.spec.windows.measure import COUNT, TIME
from muntin.spec.windows.periodic import Band, Cumulate, Landmark, Sliding
from muntin.spec.windows.window import WindowType

VALUE, GAP, MARK = "value", "gap", "mark"
EVERYTHING = frozenset({VALUE, GAP, MARK})
LOOKS: Mapping[type[WindowType], frozenset[str]] = {
    **dict.fromkeys((Sliding, Cumulate, Landmark, Band, Rolling, LastNEvery), frozenset[str]()),
    **dict.fromkeys((Delta, State, Threshold), frozenset({VALUE})),
    Session: frozenset({GAP}),
    Punctuation: frozenset({MARK}),
}


def inputs_of(kind: WindowType) -> frozenset[str]:
    """Return what a window type may look at: code of the user's, at everything.

    >>> sorted(inputs_of(Session(3))), sorted(inputs_of(Punctuation(lambda event: True)))
    (['gap'], ['gap', 'mark', 'value'])
    """
    measured = kind.measure is TIME or kind.measure is COUNT
    found = isinstance(kind, Punctuation) and kind.marks is not Punctuation().marks
    return LOOKS.get(type(kind), EVERYTHING) if measured and not found else EVERYTHING


def inputs_of_all(plan: AggregationPlan) -> frozenset[str]:
    """Return what some window may look at."""
    return frozenset[str]().union(*(inputs_of(kind) for kind in plan.kinds().values()))


def check_inputs(plan: AggregationPlan) -> None:
    """Refuse gaps and marks that no window looks at, and punctuations that nothing marks."""
    seen = inputs_of_all(plan)
    for name, column, who in ((GAP, plan.gap, "Session"), (MARK, plan.mark, "Punctuation")):
        if column is not None and name not in seen:
            raise InvalidInputError(
                f"{name}={column!r} does nothing: no window here looks at it, as {who} does; "
                "leave it out"
            )
    for id_, kind in plan.kinds().items():
        if plan.mark is None and inputs_of(kind) == frozenset({MARK}):
            raise InvalidInputError(
                f"window {id_!r}: nothing marks punctuations; say mark='a column of booleans'"
            )


def without_late_columns(plan: AggregationPlan) -> AggregationPlan:
    """Return the plan without columns for late rows, of which batch has none.

    They stay where a window may look at them.
    """
    return plan if VALUE in inputs_of_all(plan) else replace(plan, extra=())
