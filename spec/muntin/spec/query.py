"""Queries, the settings of a run, and what a step answers."""

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Literal, NamedTuple, TypeVar, get_args

from muntin.spec.algebra.aggregate import Aggregate
from muntin.spec.dialect import OURS, Dialect
from muntin.spec.errors import InvalidInputError, MuntinError, UserCodeError, positive
from muntin.spec.stream import Event
from muntin.spec.windows.window import WindowType

T = TypeVar("T")
Mode = Literal["accumulate-retract", "accumulate", "discard", "final"]
Kind = Literal["retracted", "new", "updated"]


@dataclass(frozen=True)
class Query:
    """A window type and an aggregate, under a name (definition Q1)."""

    id: str
    window: WindowType
    aggregate: Aggregate[object, object, object]

    def value(self, events: Sequence[Event]) -> object:
        """Return lower(fold(combine, lift(values))), or name the query and event that fail."""
        whole, aggregate = f"the window with {list(events)[:3]}", self.aggregate
        lifted = [self.guarded(e, partial(aggregate.lift, e.value)) for e in events]
        total = self.guarded(whole, lambda: aggregate.monoid.fold(lifted))
        return self.guarded(whole, lambda: aggregate.lower(total))

    def guarded(self, where: object, call: Callable[[], T]) -> T:
        """Run the user's code, and say where it failed if it does."""
        try:
            return call()
        except MuntinError as error:
            raise type(error)(f"query {self.id!r}, {where}: {error}") from error
        except Exception as cause:
            raise UserCodeError(f"query {self.id!r}, {where}: raised {cause!r}") from cause


@dataclass(frozen=True)
class Settings:
    """How a run treats lateness, order and output (definition Q2)."""

    allowed_lateness: int = 0
    output: Mode = "accumulate-retract"
    in_order: bool = False
    dialect: Dialect = OURS

    def __post_init__(self) -> None:
        positive(self.allowed_lateness, "the allowed lateness", -1)
        modes = ", ".join(get_args(Mode))
        if self.output not in get_args(Mode):
            raise InvalidInputError(f"output {self.output!r} is none of {modes}")


DEFAULTS = Settings()


class Result(NamedTuple):
    """One line of output: a window that came, changed or went (rule 11)."""

    query: str
    key: Hashable
    start: int
    end: float
    value: object
    kind: Kind
    revision: int


class Output(NamedTuple):
    """What one step answers: results, and the events that came too late."""

    results: tuple[Result, ...] = ()
    late: tuple[Event, ...] = ()
