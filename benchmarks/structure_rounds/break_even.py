"""The window from which on a structure is faster than re-evaluation of the window.

As Table 3 of [Tangwongsan15], which compares the Reactive Aggregator with the re-evaluation of a
streaming system: Count reads the size of the container, Collect copies it, all others fold it.
"""

from collections import deque
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, replace
from itertools import chain
from math import inf
from typing import Generic, Protocol, TypeVar

from muntin.spec.algebra.catalogue import named_keeping_nulls
from muntin.spec.algebra.monoid import Monoid
from muntin.spec.structure import Pair
from rounds.clock import collector_off
from structure_rounds.implementations import MeasuredStructure
from structure_rounds.measure import StructurePlan, StructureTimer, cell
from structure_rounds.operators import RANDOM, BenchmarkMonoid
from structure_rounds.workload import Feed

A = TypeVar("A")

CHALLENGERS = ("reactive", "b-int", "fiba4", "two-stacks-lite")
STEP = 10
FARTHEST = 2**15
TYPICAL = 320
ORDER_OF_MAGNITUDE = 10.0


class ReEvaluation(Generic[A]):
    """A queue of values that reads all of them for each query."""

    def __init__(self, evaluate: Callable[[Collection[A]], A]) -> None:
        """Start with an empty window."""
        self._values: deque[A] = deque()
        self._evaluate = evaluate

    def insert(self, _: int, value: A) -> None:
        """Append the newest value."""
        self._values.append(value)

    def evict(self, _: int) -> None:
        """Remove the oldest value."""
        self._values.popleft()

    def query(self) -> A:
        """Evaluate the window."""
        return self._evaluate(self._values)

    def bulk_insert(self, pairs: Iterable[Pair[A]]) -> None:
        """Append values."""
        self._values.extend(value for _, value in pairs)


@dataclass(frozen=True)
class BreakEven:
    """The smallest windows, to the nearest ten, from which on a challenger is that much faster."""

    aggregate: str
    challenger: str
    once: float
    ten_times: float
    per_item: float  # nanoseconds of a re-evaluation


class Measurable(Protocol):
    """A case, whatever the type of its partials."""

    @property
    def name(self) -> str: ...  # noqa: D102 of the aggregate
    @property
    def printed(self) -> tuple[float, float] | None: ...  # noqa: D102 as in Table 3

    def against(self, challenger: MeasuredStructure, plan: StructurePlan) -> BreakEven:
        """Search the window where the challenger breaks even."""
        ...


@dataclass(frozen=True)
class Case(Generic[A]):
    """An aggregate, its evaluation of a whole window, and the figures of Table 3: once, 10x."""

    monoid_case: BenchmarkMonoid[A]
    printed: tuple[float, float] | None
    evaluate: Callable[[Collection[A]], A]

    @property
    def name(self) -> str:
        """The name of the aggregate."""
        return self.monoid_case.name

    def _times(
        self, challenger: MeasuredStructure, size: int, plan: StructurePlan
    ) -> tuple[float, float]:
        """Nanoseconds a round for re-evaluation and challenger, in order."""
        evaluation: StructureTimer[A] = StructureTimer(
            "re-evaluation", ReEvaluation(self.evaluate), Feed(self.monoid_case, size, 0)
        )
        window = challenger.build(self.monoid_case.monoid)
        timer: StructureTimer[A] = StructureTimer(
            challenger.name, window, Feed(self.monoid_case, size, 0)
        )
        with collector_off():
            old, new = cell([evaluation, timer], 0, plan)
        return old.ns, new.ns

    def against(self, challenger: MeasuredStructure, plan: StructurePlan) -> BreakEven:
        """Double the window until the challenger wins, then bisect."""
        plan = replace(plan, turn=plan.turn // 4)
        once = self._search(challenger, plan, STEP, 1.0)
        ten = inf
        if challenger.name == CHALLENGERS[0] and once < inf:
            ten = self._search(challenger, plan, int(once), ORDER_OF_MAGNITUDE)
        evaluated, _ = self._times(challenger, TYPICAL, plan)
        return BreakEven(self.name, challenger.name, once, ten, evaluated / TYPICAL)

    def _wins(
        self, challenger: MeasuredStructure, size: int, plan: StructurePlan, factor: float
    ) -> bool:
        """Whether it wins twice, since once may be chance."""
        runs = (self._times(challenger, size, plan) for _ in range(2))
        return all(evaluated >= factor * own for evaluated, own in runs)

    def _search(
        self, challenger: MeasuredStructure, plan: StructurePlan, start: int, factor: float
    ) -> float:
        low, high = start - STEP, start
        while not self._wins(challenger, high, plan, factor):
            low, high = high, 2 * high
            if high > min(FARTHEST, 4 * plan.widest):
                return inf
        while high - low > max(STEP, high // 20):
            middle = (low + high) // (2 * STEP) * STEP
            if self._wins(challenger, middle, plan, factor):
                high = middle
            else:
                low = middle
        return high


def _case(
    name: str,
    printed: tuple[float, float] | None,
    draw: Callable[[], A],
    monoid: Monoid[A],
    evaluate: Callable[[Collection[A]], A] | None = None,
) -> Case[A]:
    monoid_case = BenchmarkMonoid(name, monoid, [draw() for _ in range(509)], FARTHEST)
    return Case(monoid_case, printed, evaluate or monoid.fold)


def _int() -> int:
    return RANDOM.randrange(1000)


def _float() -> float:
    return float(_int())


def _add(a: float, b: float) -> float:
    return a + b


Moments = tuple[int, float, float]
_MOMENTS: Monoid[Moments] = Monoid(
    (0, 0.0, 0.0), lambda a, b: (a[0] + b[0], a[1] + b[1], a[2] + b[2])
)
_MEAN: Monoid[tuple[int, float]] = Monoid((0, 0.0), lambda a, b: (a[0] + b[0], a[1] + b[1]))
_MINIMUM: Monoid[tuple[float, int]] = Monoid(
    (inf, 0),
    lambda a, b: (a[0], a[1] + b[1]) if a[0] == b[0] else a if a[0] < b[0] else b,
)
_ARGUMENT: Monoid[tuple[float, float]] = Monoid((-inf, 0), lambda a, b: a if a[0] >= b[0] else b)
_ITEMS: Monoid[tuple[int, ...]] = Monoid((), lambda a, b: a + b)
_EXACT = named_keeping_nulls("std_sample")


def _moments() -> Moments:
    return 1, _float(), _float() ** 2


NEVER = (inf, inf)
CASES: list[Measurable] = [
    _case("Count", NEVER, lambda: 1, Monoid(0, int.__add__), len),
    _case("Sum", (370, 5200), _int, Monoid(0, lambda a, b: a + b)),
    _case("Sum<Double>", (290, 5200), _float, Monoid(0.0, _add)),
    _case("Max", (260, 5200), _int, Monoid(-1, max)),
    _case("Max<Double>", (130, 3600), _float, Monoid(-inf, max)),
    _case("ArithmeticMean", (10, 900), lambda: (1, _float()), _MEAN),
    _case("MinCount", (200, 4480), lambda: (_float(), 1), _MINIMUM),
    _case("SampleStdDev", (10, 700), _moments, _MOMENTS),
    _case("ArgMax", (130, 2770), lambda: (_float(), _float()), _ARGUMENT),
    _case("Collect", NEVER, lambda: (_int(),), _ITEMS, lambda v: tuple(chain.from_iterable(v))),
    _case("Sum by the built-in sum", None, _int, Monoid(0, lambda a, b: a + b), sum),
    _case("Max by the built-in max", None, _int, Monoid(-1, max), max),
    _case("std_sample of the catalogue, exact", None, lambda: _EXACT.lift(_int()), _EXACT.monoid),
]


def break_evens(implementations: list[MeasuredStructure], plan: StructurePlan) -> list[BreakEven]:
    """Search for every aggregate and challenger."""
    by_name = {implementation.name: implementation for implementation in implementations}
    return [case.against(by_name[name], plan) for case in CASES for name in CHALLENGERS]
