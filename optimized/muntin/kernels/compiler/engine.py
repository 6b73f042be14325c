"""Kernels of a tree and storage for what they work on, for one monoid and one shape."""

from collections.abc import Callable
from dataclasses import dataclass, fields
from types import ModuleType
from typing import Generic, NamedTuple

from muntin.kernels.compiler.kernel_api import CAP, FAN, A, Column, Ints
from muntin.kernels.compiler.numeric_aggregate import NumericAggregate, Partial
from muntin.kernels.compiler.specialization import (
    FINGER_BTREE_SOURCES,
    compiled_module,
    interpreted_module,
)
from muntin.kernels.compiler.storage import ListStorage, Storage
from muntin.kernels.finger_btree.records import SortedBatch, TreeArrays
from muntin.spec.algebra.monoid import Monoid


class LiftLowerKernels(NamedTuple):
    """The kernels at both ends: muntin.kernels.aggregator.column_kernels says what each does."""

    lift_all: Callable[[tuple[object, ...], Column[Partial]], None]
    lower_all: Callable[[Column[Partial], tuple[object, ...]], None]


FoldWindows = Callable[[Column[Partial], tuple[Ints, Ints], Column[Partial], Column[Partial]], None]
"""What muntin.kernels.aggregator.column_kernels says."""


class NodeShape(NamedTuple):
    """Entries of a leaf, and children of an inner node."""

    cap: int = CAP
    fan: int = FAN


@dataclass(frozen=True)
class KernelCalls(Generic[A]):
    """What Python calls: muntin.kernels.finger_btree.entry_points says what each does."""

    begin_tree: Callable[[TreeArrays[A], Column[A]], None]
    insert_each: Callable[[TreeArrays[A], SortedBatch[A], int], int]
    insert_sorted: Callable[[TreeArrays[A], SortedBatch[A], int], int]
    evict_each: Callable[[TreeArrays[A], Ints], None]
    evict_up_to: Callable[[TreeArrays[A], int], None]
    query: Callable[[TreeArrays[A], Column[A]], None]
    query_ranges: Callable[[TreeArrays[A], Ints, Ints, Column[A], Ints], None]
    run_rounds: Callable[[TreeArrays[A], Ints, SortedBatch[A], Column[A], int], int]
    copy_entries: Callable[[TreeArrays[A], Ints, Column[A]], None]

    @classmethod
    def from_module(cls, module: ModuleType) -> "KernelCalls[A]":
        """Return those of a module made of the kernel sources."""
        found = vars(module)
        return cls(**{field.name: found[field.name] for field in fields(cls)})


@dataclass(frozen=True)
class Engine(Generic[A]):
    """Kernels, and what they work on."""

    calls: KernelCalls[A]
    storage: Storage[A]
    shape: NodeShape


def interpreted_engine(
    monoid: Monoid[A],
    shape: NodeShape = NodeShape(),  # noqa: B008 - it is a value
) -> Engine[A]:
    """Return kernels that run as they are, over values of any kind."""
    module = interpreted_module(monoid.combine, FINGER_BTREE_SOURCES, *shape)
    return Engine(KernelCalls[A].from_module(module), ListStorage(monoid.identity), shape)


def compiled_engine(
    summary: NumericAggregate,
    shape: NodeShape = NodeShape(),  # noqa: B008 - it is a value
) -> Engine[Partial]:
    """Return kernels that are compiled, over numbers."""
    from muntin.kernels.aggregator.array_backend import ArrayStorage  # noqa: PLC0415 - it needs the extra

    calls = KernelCalls[Partial].from_module(compiled_module(summary, FINGER_BTREE_SOURCES, *shape))
    return Engine(calls, ArrayStorage(summary), shape)


def lift_lower_kernels(summary: NumericAggregate) -> LiftLowerKernels:
    """Return what lifts and lowers columns, compiled."""
    found = vars(compiled_module(summary, ("aggregator/column_kernels",), *NodeShape()))
    return LiftLowerKernels(found["lift_all"], found["lower_all"])


def window_scan_kernel(summary: NumericAggregate, *, compile_it: bool) -> FoldWindows:
    """Return what folds windows over a column in order."""
    names = ("aggregator/column_kernels",)
    if compile_it:
        module = compiled_module(summary, names, *NodeShape())
    else:
        module = interpreted_module(summary.combine, names, *NodeShape())
    fold_windows: FoldWindows = vars(module)["fold_windows"]
    return fold_windows
