"""Every implementation, by the name that `--with` and every document use.

To test a new one in every way, add one entry here.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, Protocol, TypeVar

from muntin.kernels.aggregator.finger_btree import FingerTree
from muntin.optimized.btree.btree import BTree
from muntin.optimized.btree.fiba import Fiba
from muntin.optimized.fifo.b_int import BInt
from muntin.optimized.fifo.daba import Daba
from muntin.optimized.fifo.daba_lite import DabaLite
from muntin.optimized.fifo.two_stacks import TwoStacks
from muntin.optimized.fifo.two_stacks_lite import TwoStacksLite
from muntin.optimized.flatfat.flatfat_window import FlatFatWindow
from muntin.optimized.flatfat.reactive import ReactiveAggregator
from muntin.optimized.in_order.group import Technique
from muntin.optimized.in_order.operator import InOrderSlicer
from muntin.optimized.in_order.technique import (
    CUTTY_EAGER,
    CUTTY_LAZY,
    PAIRS,
    PAIRS_PLUS,
    PANES,
)
from muntin.optimized.scotty.operator import Scotty
from muntin.optimized.scotty.slices.aggregate_store import BuildStore, LazyStore, eager, fiba
from muntin.reference.aggregate_tree import AggregateTree
from muntin.reference.bucket_stores import AggregateBuckets, TupleBuckets
from muntin.reference.fifo_adapter import FifoAdapter
from muntin.reference.naive_operator import NaiveOperator
from muntin.reference.recompute import Recompute
from muntin.reference.specification import SpecificationOperator, SpecificationStructure
from muntin.reference.subtract_on_evict import SubtractOnEvict
from muntin.reference.tuple_stores import FullHistoryStore, TupleBuffer
from muntin.reference.window_store import WindowStore
from muntin.registry.dataframes.names import WHOLES
from muntin.registry.unavailable import UnavailableOperator
from muntin.snapshot import carry, register_state
from muntin.spec.algebra.monoid import Monoid
from muntin.spec.cost import Meter
from muntin.spec.operator import Operator
from muntin.spec.query import Settings
from muntin.spec.structure import OutOfOrder

A = TypeVar("A")

Carry = Callable[[Operator, Operator], None]
Arrival = Literal["any order", "in-order inserts", "fifo"]


class BuildStructure(Protocol):
    """A way to make an empty structure."""

    def __call__(self, monoid: Monoid[A], meter: Meter | None = None, /) -> OutOfOrder[A]:
        """Return an empty structure over the monoid that counts its work on the meter."""
        ...


@dataclass(frozen=True)
class StructureEntry:
    """A structure, and what it can do."""

    name: str
    build: BuildStructure
    arrival: Arrival
    needs: Literal["monoid", "group"] = "monoid"
    worst_case: bool = False  # else its bound is amortised over a run


def _subtract_on_evict(monoid: Monoid[A], meter: Meter | None = None, /) -> OutOfOrder[A]:
    return FifoAdapter(SubtractOnEvict(monoid, meter))


def _two_stacks(monoid: Monoid[A], meter: Meter | None = None, /) -> OutOfOrder[A]:
    return FifoAdapter(TwoStacks(monoid, meter))


def _two_stacks_lite(monoid: Monoid[A], meter: Meter | None = None, /) -> OutOfOrder[A]:
    return FifoAdapter(TwoStacksLite(monoid, meter))


def _daba(monoid: Monoid[A], meter: Meter | None = None, /) -> OutOfOrder[A]:
    return FifoAdapter(Daba(monoid, meter))


def _daba_lite(monoid: Monoid[A], meter: Meter | None = None, /) -> OutOfOrder[A]:
    return FifoAdapter(DabaLite(monoid, meter))


STRUCTURES = [
    StructureEntry("spec", SpecificationStructure, "any order"),
    StructureEntry("recompute", Recompute, "any order", worst_case=True),
    StructureEntry("subtract-on-evict", _subtract_on_evict, "fifo", "group", worst_case=True),
    StructureEntry("two-stacks", _two_stacks, "fifo"),
    StructureEntry("two-stacks-lite", _two_stacks_lite, "fifo"),
    StructureEntry("daba", _daba, "fifo", worst_case=True),
    StructureEntry("daba-lite", _daba_lite, "fifo", worst_case=True),
    StructureEntry("flatfat", FlatFatWindow, "any order", worst_case=True),
    StructureEntry("reactive", ReactiveAggregator, "in-order inserts"),
    StructureEntry("b-int", BInt, "fifo", worst_case=True),
    StructureEntry("btree", BTree, "any order"),
    StructureEntry("fiba", Fiba, "any order"),
    StructureEntry("kernels", FingerTree, "any order"),
]


@dataclass(frozen=True)
class OperatorEntry:
    """An operator; what it can do, it says itself."""

    name: str
    build: Callable[[Settings], Operator]
    in_order_only: bool = False  # whether it serves streams only that are declared in order
    int64_times: bool = False  # whether times must fit into 64 bits
    carry: Carry | None = carry  # how a new one goes on where an old one is, if it can


@register_state
class FibaOfTuples(AggregateTree):
    """The store of `aggregate-tree`: FlatFAT would have to move all younger leaves by one."""

    @staticmethod
    def build(monoid: Monoid[object]) -> OutOfOrder[object]:
        """Return an empty tree."""
        return Fiba(monoid)


def _naive(store: type[WindowStore]) -> Callable[[Settings], Operator]:
    return lambda settings: NaiveOperator(store, settings)


def _slicing(technique: Technique) -> Callable[[Settings], Operator]:
    return lambda settings: InOrderSlicer(technique, settings)


def _scotty(build: BuildStore) -> Callable[[Settings], Operator]:
    return lambda settings: Scotty(settings, build)


def _kernels(settings: Settings) -> Operator:
    try:
        from muntin.kernels.slicing.operator import (  # noqa: PLC0415 - it needs an extra, numpy
            ColumnarOperator,
        )
    except ModuleNotFoundError as missing:
        return UnavailableOperator(f"it needs {missing.name}: pip install 'muntin[kernels]'")
    return ColumnarOperator(settings)


OPERATORS = [
    OperatorEntry("spec", SpecificationOperator),
    OperatorEntry("recompute", _naive(FullHistoryStore)),
    OperatorEntry("tuple-buffer", _naive(TupleBuffer)),
    OperatorEntry("tuple-buckets", _naive(TupleBuckets)),
    OperatorEntry("aggregate-buckets", _naive(AggregateBuckets)),
    OperatorEntry("aggregate-tree", _naive(FibaOfTuples)),
    OperatorEntry("panes", _slicing(PANES), in_order_only=True),
    OperatorEntry("pairs", _slicing(PAIRS), in_order_only=True),
    OperatorEntry("pairs-plus", _slicing(PAIRS_PLUS), in_order_only=True),
    OperatorEntry("cutty-lazy", _slicing(CUTTY_LAZY), in_order_only=True),
    OperatorEntry("cutty-eager", _slicing(CUTTY_EAGER), in_order_only=True),
    OperatorEntry("scotty-lazy", _scotty(LazyStore)),
    OperatorEntry("scotty-eager", _scotty(eager)),
    OperatorEntry("scotty-fiba", _scotty(fiba)),
    OperatorEntry("kernels", _kernels, int64_times=True),
]


def _at_once(name: str) -> Callable[[Settings], Operator]:
    def build(settings: Settings) -> Operator:
        try:
            from muntin.registry.dataframes.operator import (  # noqa: PLC0415 - it needs an extra
                DataFrameOperator,
            )
        except ModuleNotFoundError as missing:
            return UnavailableOperator(
                f"it needs {missing.name}: pip install 'muntin[spark,kernels]'"
            )
        return DataFrameOperator(name, settings)

    return build


WHOLE_TABLE_OPERATORS = [
    OperatorEntry(name, _at_once(name), int64_times=True, carry=None) for name in WHOLES
]
"""Those that answer a whole DataFrame: a trace of one step that ends the stream."""
