"""Kernels and storage of a tree for one monoid and one node shape."""

from collections.abc import Callable
from dataclasses import dataclass, fields
from types import ModuleType
from typing import Generic, NamedTuple

from muntin.kernels.compiler.kernel_api import CAP, FAN, A, Column, Ints
from muntin.kernels.compiler.numeric_aggregate import NumericAggregate, Partial
from muntin.kernels.compiler.specialization import (
    COLUMN_SOURCES,
    FINGER_BTREE_SOURCES,
    compiled_module,
    interpreted_module,
)
from muntin.kernels.compiler.storage import ListStorage, Storage
from muntin.kernels.finger_btree.records import SortedBatch, TreeArrays
from muntin.spec.algebra.monoid import Monoid

FoldWindows = Callable[[Column[Partial], tuple[Ints, Ints], Column[Partial], Column[Partial]], None]
"""The kernel `fold_windows` of muntin.kernels.aggregator.column_kernels."""


class NodeShape(NamedTuple):
    """Entries of a leaf, and children of an inner node."""

    cap: int = CAP
    fan: int = FAN


@dataclass(frozen=True)
class KernelCalls(Generic[A]):
    """The kernels of muntin.kernels.finger_btree.entry_points and `copy_entries`."""

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
        """The kernels of a module that was made of the sources."""
        names = vars(module)
        return cls(**{field.name: names[field.name] for field in fields(cls)})


@dataclass(frozen=True)
class Engine(Generic[A]):
    """Kernels and the storage that they work on."""

    calls: KernelCalls[A]
    storage: Storage[A]
    shape: NodeShape
    commutative: bool = False


def interpreted_engine(
    monoid: Monoid[A],
    shape: NodeShape = NodeShape(),  # noqa: B008 - it is immutable
    *,
    commutative: bool = False,
) -> Engine[A]:
    """Interpreted kernels over values of any type."""
    module = interpreted_module(
        monoid.combine, FINGER_BTREE_SOURCES, *shape, commutative=commutative
    )
    calls, storage = KernelCalls[A].from_module(module), ListStorage(monoid.identity)
    return Engine(calls, storage, shape, commutative)


def compiled_engine(
    summary: NumericAggregate,
    shape: NodeShape = NodeShape(),  # noqa: B008 - it is immutable
) -> Engine[Partial]:
    """Compiled kernels over numbers."""
    from muntin.kernels.aggregator.array_backend import ArrayStorage  # noqa: PLC0415 - it needs the extra

    calls = KernelCalls[Partial].from_module(compiled_module(summary, FINGER_BTREE_SOURCES, *shape))
    return Engine(calls, ArrayStorage(summary), shape, summary.commutative)


def window_scan_kernel(summary: NumericAggregate, *, compile_it: bool) -> FoldWindows:
    """The kernel that folds windows over a column in order."""
    if compile_it:
        module = compiled_module(summary, COLUMN_SOURCES, *NodeShape())
    else:
        module = interpreted_module(summary.combine, COLUMN_SOURCES, *NodeShape())
    fold_windows: FoldWindows = vars(module)["fold_windows"]
    return fold_windows
