"""The state of a columnar operator: export, and import into an operator of the same queries.

Task after the shuffle; before it, only to see how an operator would run its queries. Keys are
numbers here.
"""

from typing import NamedTuple

from muntin.kernels.slicing.generic import Generic
from muntin.kernels.slicing.image import Dense, Image, Plain
from muntin.kernels.slicing.moment import Clock
from muntin.kernels.slicing.operator import ColumnarOperator
from muntin.snapshot import SnapshotError


class OperatorState(NamedTuple):
    """The state of each group with the ids of its queries and its method; and the watermarks."""

    groups: list[tuple[list[str], str, Plain]]
    clock: Clock
    seen: float
    arrivals: int


def operator_image(operator: ColumnarOperator) -> Image:
    """What an operator puts into a snapshot."""
    image = operator.state()["image"]
    if isinstance(image, Image):
        return image
    raise SnapshotError(f"{operator!r} is not a columnar operator: it has no image of its state")


def export_state(operator: ColumnarOperator) -> OperatorState:
    """The state of an operator that keeps no dense slices."""
    image = operator_image(operator)
    groups = [
        (queries, method, group)
        for queries, method, group in image.groups
        if isinstance(group, Plain)
    ]
    return OperatorState(groups, image.clock, image.seen, image.arrivals)


def import_state(operator: ColumnarOperator, state: OperatorState, n_keys: int) -> None:
    """Give a new operator of the same queries this state, with the keys 0 to n_keys - 1."""
    image = operator_image(operator)
    groups: list[tuple[list[str], str, Plain | Dense]] = [*state.groups]
    generic, rest = Generic(image.settings), (state.clock, state.seen, state.arrivals)
    imported = Image(image.settings, image.queries, groups, generic, *rest, [*range(n_keys)])
    operator.resume({"image": imported})
