"""Columns to partials and partials to columns: the two ends of every kernel."""

from muntin.kernels.compiler.kernel_api import (
    Column,
    Columns,
    kernel,
    lift_at,
    load_one,
    lower_at,
    store_one,
)


@kernel
def lift_all(columns: Columns, out: Column[tuple[float, ...]]) -> None:
    """Lift each row."""
    for at in range(len(out)):
        store_one(out, at, lift_at(columns, at))


@kernel
def lower_all(partials: Column[tuple[float, ...]], columns: Columns) -> None:
    """Lower each partial."""
    for at in range(len(partials)):
        lower_at(columns, at, load_one(partials, at))
