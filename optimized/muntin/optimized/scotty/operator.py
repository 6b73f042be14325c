"""The operator: acceptance, keys, changing queries, and steps that fail without a trace.

It derives the workload of each query, lets queries that lift and combine alike share slices, and
orders what they report. Proofs: proofs/scotty.md, O1 and O2.
"""

from collections.abc import Hashable
from dataclasses import dataclass, field

from muntin.optimized.scotty.aggregate_store import BuildStore, LazyStore
from muntin.optimized.scotty.group import Group, Reports, TimeGroup
from muntin.optimized.scotty.known_edges import calendar
from muntin.optimized.scotty.moment import Moment
from muntin.optimized.scotty.sharing import Erased, shareable
from muntin.optimized.scotty.tiling import How
from muntin.optimized.scotty.tuple_group import TupleGroup
from muntin.optimized.scotty.workload import (
    LETTERS,
    Characteristics,
    characteristics,
    removal,
    stores_tuples,
)
from muntin.snapshot import Persistent
from muntin.spec.data_driven import LastNEvery, Rolling, Session
from muntin.spec.errors import InvalidInputError
from muntin.spec.measure import COUNT, TIME
from muntin.spec.periodic import Band, Cumulate, Landmark, Sliding
from muntin.spec.query import DEFAULTS, Output, Query, Result, Settings
from muntin.spec.stream import END, Accepted, Event, Step, check_order
from muntin.spec.window import WindowType


@dataclass
class Running:
    """A query, its group, and the order in which it has first seen each key."""

    query: Query
    since: float
    group: Group
    ranks: dict[Hashable, int] = field(default_factory=dict[Hashable, int])


@dataclass
class Shared:
    """A group, and what a query must have in common with it."""

    aggregate: Erased
    scope: Hashable
    group: Group


FORGET_ALIKE = (Sliding, Cumulate, Landmark, Band, Rolling, LastNEvery)
"""Types that are right about any suffix of their tuples that holds what they need."""


def sliceable(window: WindowType, settings: Settings) -> bool:
    """Whether a tuple alone tells its slice: windows in time with known edges, and sessions."""
    if calendar(window, settings.dialect, -END):
        return True
    return isinstance(window, Session) and window.measure is TIME and settings.output != "discard"


class Scotty(Persistent):
    """General stream slicing."""

    configuration = ("_build", "_letters")

    def __init__(
        self,
        settings: Settings = DEFAULTS,
        build: BuildStore = LazyStore,
        letters: tuple[object, ...] = LETTERS,
    ) -> None:
        """Start with no query. On the letters the declared facts of aggregates are checked."""
        self._settings, self._build, self._letters = settings, build, letters
        self._before: float = -END
        self._reached: float = -END
        self._seen: float = -END
        self._latest: dict[Hashable, Event] = {}
        self._arrivals = 0
        self._running: dict[str, Running] = {}
        self._shared: list[Shared] = []

    def add(self, query: Query) -> None:
        """Ask a further query: it sees what is younger than all that came."""
        if query.id in self._running:
            raise InvalidInputError(f"there is a query {query.id!r} already; remove it first")
        since = max(self._seen, self._before)
        of = characteristics(query, self._settings, self._letters)
        group = self._group(query, of, since)
        group.add(query, since, dict(self._latest))
        self._running[query.id] = Running(query, since, group)

    @property
    def groups(self) -> list[Group]:
        """The groups of queries that share slices."""
        return [one.group for one in self._shared]

    def _group(self, query: Query, of: Characteristics, since: float) -> Group:
        """Return the group that has the slices of such a query; perhaps a new one."""
        dialect, time = self._settings.dialect, sliceable(query.window, self._settings)
        in_tuples = not time or (of.session and self._settings.output == "discard")
        by_arrival = query.window.measure is COUNT and dialect.count_order == "arrival"
        forgets_alike = isinstance(query.window, FORGET_ALIKE) or not in_tuples
        by_window = dialect.lateness == "window" and (in_tuples or of.session)
        apart = by_window or not forgets_alike
        how = How(query.aggregate.monoid, of.commutative, removal(of))
        scope: Hashable = (query.id if apart else "", stores_tuples(of), of.commutative)
        if in_tuples:
            scope = (query.id if apart else "", since, by_arrival, of.commutative, removal(of))
        for shared in self._shared:
            if shared.scope == scope and shareable(shared.aggregate, query.aggregate):
                return shared.group
        group: Group
        if in_tuples:
            group = TupleGroup(self._settings, how, self._build, by_arrival=by_arrival)
        else:
            group = TimeGroup(self._settings, query, self._build, stored=stores_tuples(of))
        self._shared.append(Shared(query.aggregate, scope, group))
        return group

    def remove(self, name: str) -> None:
        """Ask a query no more, and release what only it needed."""
        if name not in self._running:
            raise InvalidInputError(f"there is no query {name!r} to remove")
        self._running.pop(name).group.remove(name)
        self._shared = [one for one in self._shared if one.group.queries]

    def take(self, step: Step, /) -> Output:
        """Take in a step, and say what it changes; a step that fails changes nothing."""
        if self._settings.in_order:
            check_order([self._seen, *(event.time for event in step.events)])
        seen = max([self._seen, *(event.time for event in step.events)])
        given = -END if step.watermark is None else step.watermark
        now = max(self._before, given, seen if self._settings.in_order else -END)
        reached = now if now < END else self._reached
        asked = Moment(self._settings, self._before, now, self._reached)
        moment = Moment(self._settings, self._before, now, reached)
        ranked: list[tuple[str, Hashable]] = []
        try:
            late = tuple(
                e for i, e in enumerate(step.events) if not self._admit(e, i, asked, ranked)
            )
            reports = [(one.group, one.group.reports(moment)) for one in self._shared]
        except BaseException:
            for one in self._shared:
                one.group.restore()
            self._unrank(ranked)
            raise
        results = self._results([report for _, found in reports for report in found])
        for group, found in reports:
            group.commit(found, moment)
        self._before, self._reached, self._seen = now, reached, seen
        self._arrivals += len(step.events)
        for event in step.events:
            if event.time >= self._latest.get(event.key, event).time:
                self._latest[event.key] = event
        return Output(results, late)

    def _admit(
        self, event: Event, nth: int, moment: Moment, ranked: list[tuple[str, Hashable]]
    ) -> bool:
        """Give an event to each group, and say whether it is on time."""
        accepted, verdicts = Accepted(event, self._arrivals + nth), list[bool]()
        for one in self._shared:
            accepts, first_seen = one.group.take(accepted, moment)
            verdicts += accepts.values()
            for name in first_seen:
                ranks = self._running[name].ranks
                if event.key not in ranks:
                    ranks[event.key] = len(ranks)
                    ranked.append((name, event.key))
        rule = self._settings.dialect.lateness
        if rule == "window":
            return any(verdicts) or not verdicts
        return rule == "never" or event.time >= moment.limit_before

    def _unrank(self, ranked: list[tuple[str, Hashable]]) -> None:
        for name, key in ranked:
            del self._running[name].ranks[key]

    def _results(self, reports: list[Reports]) -> tuple[Result, ...]:
        """Order what is said: retractions first, then by end, start, query, and key."""
        order = {name: nth for nth, name in enumerate(self._running)}
        results: list[tuple[tuple[bool, float, int, int, int, int], Result]] = []
        for name, key, changes in reports:
            place = self._running[name].ranks.get(key, 0)
            for kind, (start, end, row), said in changes:
                result = Result(name, key, start, end, said.value, kind, said.revision)
                at = (kind != "retracted", end, start, order[name], row, place)
                results.append((at, result))
        mode = self._settings.output
        told = [r for _, r in sorted(results, key=lambda one: one[0])]
        return tuple(r for r in told if r.kind != "retracted" or mode == "accumulate-retract")
