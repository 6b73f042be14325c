"""What another operator has kept, in terms of slices, and groups that go on from it.

Slices may be finer than those made here. What was told of windows is set beside what would be told
of them now: if they are not the same windows, nothing is taken over. Proof: proofs/scotty.md, O3.
"""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple, Protocol

from muntin.optimized.scotty.aggregate_store import BuildStore
from muntin.optimized.scotty.group import Ballot, Reports
from muntin.optimized.scotty.moment import Moment
from muntin.optimized.scotty.slice import Slice
from muntin.optimized.scotty.strategy import Strategy, strategy
from muntin.optimized.scotty.time_group import TimeGroup
from muntin.optimized.slicing.sharing import shareable
from muntin.snapshot import SnapshotError
from muntin.spec.query import Query, Settings
from muntin.spec.stream import Event
from muntin.spec.window import Interval


class Told(NamedTuple):
    """What was last told of a window; the value, if it may have to be retracted."""

    value: object
    revision: int


class Slices(Protocol):
    """What gives the slices of a query, key by key, with tuples that stand for theirs if stored."""

    def __call__(self, query: Query, *, stored: bool) -> Mapping[Hashable, list[Slice]]:
        """Return them, sorted by time."""
        ...


class Kept(NamedTuple):
    """What is kept of queries that see the same events, key by key.

    `told` are the windows of each query that are not frozen, `met` the keys in the order of the
    first events of them that were accepted.
    """

    since: float
    queries: Sequence[Query]
    met: Sequence[Hashable]
    slices: Slices
    told: Mapping[str, Mapping[Hashable, Mapping[Interval, Told]]]


class Holding(NamedTuple):
    """All that an operator holds: the watermark and the greatest but the end, and so on."""

    before: float
    reached: float
    seen: float
    arrivals: int
    latest: Mapping[Hashable, Event]
    asked: Sequence[str]
    kept: Sequence[Kept]


class Served(NamedTuple):
    """Queries that share slices, and how each is served."""

    group: TimeGroup
    strategies: dict[str, Strategy]


class TakingOver(NamedTuple):
    """How the operator is made that goes on."""

    settings: Settings
    build: BuildStore
    letters: tuple[object, ...]

    def served(self, kept: Kept, holding: Holding) -> list[Served]:
        """Return groups that go on from what was kept of their queries."""
        found = list[Served]()
        for query in kept.queries:
            how = self._strategy(query, kept.since)
            served = next((one for one in found if _shares(one, query, how)), None)
            if served is None:
                group = TimeGroup(self.settings, query, self.build, stored=how.stored)
                served = Served(group, {})
                found.append(served)
            served.group.add(query, kept.since, {})
            served.strategies[query.id] = how
        for one in found:
            _resume(one.group, kept, self._moment(holding))
        return found

    def _strategy(self, query: Query, since: float) -> Strategy:
        """Return how a query is served whose slices lie in time, in order or not."""
        how = strategy(query, self.settings, since, self.letters)
        return replace(how, scope=(None, how.of.commutative)) if how.in_order else how

    def _moment(self, holding: Holding) -> Moment:
        """Return a step in which all that is not frozen is told of, and nothing else."""
        now, reached = holding.before, holding.reached
        moment = Moment(self.settings, now, now, reached)
        return moment if moment.final else Moment(self.settings, moment.limit, now, reached)


def _shares(one: Served, query: Query, how: Strategy) -> bool:
    name, like = next(iter(one.strategies.items()))
    return like.scope == how.scope and shareable(one.group.queries[name].aggregate, query.aggregate)


def _resume(group: TimeGroup, kept: Kept, moment: Moment) -> None:
    """Let a group that has seen nothing go on: by a step that has made the slices there are."""
    group.take_all((), moment, Ballot())
    query = next(iter(group.queries.values()))
    for key, slices in kept.slices(query, stored=group.plan.stored).items():
        lane = group.changing(key)
        lane.slices.resume(slices)
        lane.last = max(one.last for one in slices)
    reports = [_as_told(one, kept, moment) for one in group.reports(moment)]
    found = {(name, key): len(changes) for name, key, changes in reports}
    for name in group.queries:
        for key, told in kept.told[name].items():
            if len(told) != found.get((name, key), 0):
                raise SnapshotError(
                    f"the snapshot is damaged: query {name!r} was told of windows of the key"
                    f" {key!r} that its slices do not hold"
                )
    group.commit(reports, moment)


def _as_told(report: Reports, kept: Kept, moment: Moment) -> Reports:
    """Return the windows that are not frozen, as they were told of last."""
    name, key, changes = report
    told = kept.told[name].get(key, {})
    unfrozen = [change for change in changes if change.said.settles > moment.limit]
    for change in unfrozen:
        if change.interval not in told:
            raise SnapshotError(
                f"the snapshot is damaged: query {name!r} was not told of {change.interval} of the"
                f" key {key!r}, which its slices hold"
            )
    as_told = (told[change.interval] for change in unfrozen)
    said = (c.said._replace(**t._asdict()) for c, t in zip(unfrozen, as_told, strict=True))
    return Reports(name, key, [c._replace(said=s) for c, s in zip(unfrozen, said, strict=True)])
