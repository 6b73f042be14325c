"""The engine that is measured: any class with `add` and `take_columns`, by its name."""

from collections.abc import Callable, Mapping, Sequence, Sized
from importlib import import_module
from importlib.util import find_spec
from typing import Protocol

from column_windows.workload import DISORDERS, Batch, Load, queries
from muntin.columnar import ColumnarOperator
from muntin.spec.query import Mode, Query, Settings

ENGINE = "muntin.columnar:ColumnarOperator"
"""The class behind the public interface."""
OLD_ENGINE = "column_windows.engine:CellOperator"
"""What it is compared with."""


class CellOperator(ColumnarOperator):
    """The operator whose cells are sorted and merged by NumPy, which served all queries before."""

    def __init__(self, settings: Settings) -> None:
        """Keep slices, whatever the query."""
        super().__init__(settings, method="slices")


class ColumnOfValues(Protocol):
    """A column that can be added up."""

    def sum(self) -> float:
        """The sum of its values."""
        ...


class Values(Protocol):
    """The values of the windows of a query."""

    @property
    def columns(self) -> Sequence[ColumnOfValues]:
        """One column, or several where a value is a tuple."""
        ...


class QueryResults(Protocol):
    """The results of a query in a step."""

    @property
    def value(self) -> Values:
        """Their values."""
        ...


class StepResults(Protocol):
    """The results of a step."""

    def __len__(self) -> int:
        """How many there are, over all queries."""
        ...

    def by_query(self) -> Mapping[str, QueryResults]:
        """The results of each query that has any."""
        ...


class BatchConsumer(Protocol):
    """What is measured."""

    @property
    def take_columns(self) -> Callable[..., Sized]:
        """Take in times, values, keys and a watermark."""
        ...


class ColumnEngine(Protocol):
    """What the benchmark calls."""

    def add(self, query: Query) -> None:
        """Answer a further query."""
        ...

    @property
    def take_columns(self) -> Callable[..., StepResults]:
        """Take in times, values, keys and a watermark."""
        ...


def engine_class(path: str) -> Callable[[Settings], ColumnEngine]:
    """The class `module:Class`.

    >>> engine_class("muntin.columnar:ColumnarOperator").__name__
    'ColumnarOperator'
    """
    module, _, name = path.partition(":")
    return getattr(import_module(module), name)  # type: ignore[no-any-return] # the caller's own class


def distinct_engines(path: str, against: str) -> list[str]:
    """The engine in question, and the other one if there is one and it is not the same class."""
    module, _, _ = against.partition(":")
    if not against or not has_module(module) or engine_class(against) is engine_class(path):
        return [path]
    return [path, against]


def has_module(name: str) -> bool:
    """Whether a module exists, whose package may not."""
    try:
        return find_spec(name) is not None
    except ModuleNotFoundError:
        return False


def engine(path: str, load: Load, output: Mode = "accumulate-retract") -> ColumnEngine:
    """A new engine that has the queries of a load."""
    target = engine_class(path)(Settings(DISORDERS[load.disorder].lateness, output))
    for query in queries(load):
        target.add(query)
    return target


def sums(results: StepResults) -> dict[str, float]:
    """The sum of the values of each query."""
    return {name: float(one.value.columns[0].sum()) for name, one in results.by_query().items()}


def step(target: ColumnEngine, batch: Batch) -> StepResults:
    """One step."""
    return target.take_columns(*batch)
