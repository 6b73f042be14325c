"""Queries, the settings of a run, and the output of a step."""

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Literal, NamedTuple, TypeVar, get_args

from muntin.spec.algebra.aggregate import AnyAggregate
from muntin.spec.dialect import OURS, Dialect
from muntin.spec.errors import InvalidInputError, MuntinError, UserCodeError, positive
from muntin.spec.stream import Event
from muntin.spec.windows.window import WindowType

T = TypeVar("T")
Mode = Literal["accumulate-retract", "accumulate", "discard", "final"]
ChangeKind = Literal["retracted", "new", "updated"]


@dataclass(frozen=True)
class Query:
    """A window type and an aggregate, under a name (definition Q1)."""

    id: str
    window: WindowType
    aggregate: AnyAggregate

    def value(self, events: Sequence[Event]) -> object:
        """lower(fold(combine, lift(values))); an error names the query and the event."""
        where, aggregate = f"the window with {list(events)[:3]}", self.aggregate
        lifted = [self.call_user_code(e, partial(aggregate.lift, e.value)) for e in events]
        total = self.call_user_code(where, lambda: aggregate.monoid.fold(lifted))
        return self.call_user_code(where, lambda: aggregate.lower(total))

    def call_user_code(self, where: object, call: Callable[[], T]) -> T:
        """Call the user's code; an error names the query and where it failed."""
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
    """One output row: a window that is new, updated or retracted (rule 11)."""

    query: str
    key: Hashable
    start: int
    end: float
    value: object
    kind: ChangeKind
    revision: int


class Output(NamedTuple):
    """The output of one step: results, ordered within a key only (rule 11), and late events."""

    results: tuple[Result, ...] = ()
    late: tuple[Event, ...] = ()
