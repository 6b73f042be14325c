"""Every implementation, by the name that `--with` and every document use.

One entry here makes all tests, replays and differential runs apply to a new implementation.
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
from muntin.optimized.in_order.operator import InOrderSlicer
from muntin.optimized.in_order.technique import (
    CUTTY_EAGER,
    CUTTY_LAZY,
    PAIRS,
    PAIRS_PLUS,
    PANES,
    Technique,
)
from muntin.optimized.scotty.operator import Scotty
from muntin.optimized.scotty.slices.aggregate_store import (
    BuildStore,
    LazyStore,
    fiba_store,
    flatfat_store,
)
from muntin.reference.aggregate_tree import AggregateTree
from muntin.reference.bucket_stores import AggregateBuckets, TupleBuckets
from muntin.reference.fifo_adapter import FifoAdapter
from muntin.reference.naive_operator import NaiveOperator
from muntin.reference.recompute import Recompute
from muntin.reference.specification import SpecificationOperator, SpecificationStructure
from muntin.reference.subtract_on_evict import SubtractOnEvict
from muntin.reference.tuple_stores import FullHistoryStore, TupleBuffer
from muntin.reference.window_store import WindowStore
from muntin.snapshot import register_state, transfer_state
from muntin.spec.algebra.monoid import Monoid
from muntin.spec.cost import Meter
from muntin.spec.errors import InvalidInputError, UnsupportedError
from muntin.spec.operator import Operator
from muntin.spec.query import Output, Query, Settings
from muntin.spec.stream import Step
from muntin.spec.structure import Fifo, OutOfOrder

A = TypeVar("A")

TransferState = Callable[[Operator, Operator], None]
Arrival = Literal["any order", "in-order inserts", "fifo"]


class BuildStructure(Protocol):
    """A builder of an empty structure."""

    def __call__(self, monoid: Monoid[A], meter: Meter | None = None, /) -> OutOfOrder[A]:
        """An empty structure over the monoid that counts its work on the meter."""
        ...


@dataclass(frozen=True)
class StructureEntry:
    """A structure, and which calls and monoids it supports."""

    name: str
    build: BuildStructure
    arrival: Arrival
    needs: Literal["monoid", "group"] = "monoid"
    worst_case: bool = False  # else its bound is amortised


class BuildFifo(Protocol):
    """A builder of an empty FIFO structure."""

    def __call__(self, monoid: Monoid[A], meter: Meter | None = None, /) -> Fifo[A]:
        """An empty structure over the monoid that counts its work on the meter."""
        ...


def _fifo(build: BuildFifo) -> BuildStructure:
    def adapted(monoid: Monoid[A], meter: Meter | None = None, /) -> OutOfOrder[A]:
        return FifoAdapter(build(monoid, meter))

    return adapted


STRUCTURES = [
    StructureEntry("spec", SpecificationStructure, "any order"),
    StructureEntry("recompute", Recompute, "any order", worst_case=True),
    StructureEntry("subtract-on-evict", _fifo(SubtractOnEvict), "fifo", "group", worst_case=True),
    StructureEntry("two-stacks", _fifo(TwoStacks), "fifo"),
    StructureEntry("two-stacks-lite", _fifo(TwoStacksLite), "fifo"),
    StructureEntry("daba", _fifo(Daba), "fifo", worst_case=True),
    StructureEntry("daba-lite", _fifo(DabaLite), "fifo", worst_case=True),
    StructureEntry("flatfat", FlatFatWindow, "any order", worst_case=True),
    StructureEntry("reactive", ReactiveAggregator, "in-order inserts"),
    StructureEntry("b-int", BInt, "fifo", worst_case=True),
    StructureEntry("btree", BTree, "any order"),
    StructureEntry("fiba", Fiba, "any order"),
    StructureEntry("kernels", FingerTree, "any order"),
]


@dataclass(frozen=True)
class OperatorEntry:
    """An operator by its name; which queries it supports, it decides itself in `add`."""

    name: str
    build: Callable[[Settings], Operator]
    in_order_only: bool = False  # whether it needs Settings(in_order=True)
    int64_times: bool = False  # whether times must fit into 64 bits
    carry: TransferState | None = transfer_state  # transfers the state of an old one to a new one


@register_state
class FibaOfTuples(AggregateTree):
    """The store of `aggregate-tree`: FlatFAT would have to move all newer leaves by one."""

    @staticmethod
    def build(monoid: Monoid[object]) -> OutOfOrder[object]:
        """An empty tree."""
        return Fiba(monoid)


def _naive(store: type[WindowStore]) -> Callable[[Settings], Operator]:
    return lambda settings: NaiveOperator(store, settings)


def _slicing(technique: Technique) -> Callable[[Settings], Operator]:
    return lambda settings: InOrderSlicer(technique, settings)


def _scotty(build: BuildStore) -> Callable[[Settings], Operator]:
    return lambda settings: Scotty(settings, build)


class UnavailableOperator(Operator):
    """The stand-in for an operator whose extra is not installed: it refuses every query."""

    def __init__(self, why: str) -> None:
        """Keep the reason, which names the missing package."""
        self._why = why

    def add(self, query: Query) -> None:
        """Refuse the query, with the reason."""
        raise UnsupportedError(f"query {query.id!r}: {self._why}")

    def remove(self, name: str) -> None:
        """Refuse: no query was ever registered."""
        raise InvalidInputError(f"there is no query {name!r} to remove")

    def take(self, _: Step, /) -> Output:
        """Refuse the step, with the reason."""
        raise UnsupportedError(self._why)


def _kernels(settings: Settings) -> Operator:
    try:
        from muntin.columnar.operator import (  # noqa: PLC0415 - it needs an extra, numpy
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
    OperatorEntry("scotty-eager", _scotty(flatfat_store)),
    OperatorEntry("scotty-fiba", _scotty(fiba_store)),
    OperatorEntry("kernels", _kernels, int64_times=True),
]


def _dataframe_engine(name: str) -> Callable[[Settings], Operator]:
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


def _coq(settings: Settings) -> Operator:
    from muntin.registry.coq_operator import CoqOperator  # noqa: PLC0415 - it starts a process

    return CoqOperator(settings)


MODEL_OPERATORS = [OperatorEntry("coq", _coq, int64_times=True, carry=None)]
"""The denotation in Coq: its process is there only where `make lockstep` has compiled it."""

SPARK, KERNELS_TABLE, SPARK_NATIVE = "spark", "kernels-table", "spark-native"
"""`muntin.spark.aggregate` in batch, `muntin.columnar.aggregate`, and Spark's own windows."""
DATAFRAME_NAMES = (SPARK, KERNELS_TABLE, SPARK_NATIVE)

DATAFRAME_OPERATORS = [
    OperatorEntry(name, _dataframe_engine(name), int64_times=True, carry=None)
    for name in DATAFRAME_NAMES
]
"""Operators that evaluate a whole DataFrame: a trace of one step that ends the stream."""
