"""The rule that explains the most windows of a job: its shape, its clock, and its slack.

Rules are scored on a sample and never struck out, for a job may have faults. Clock, lateness and
slack are sought together, since one without the others explains nothing. Only slacks that some row
needs can differ; what a sample leaves undecided is decided by the keys of the rows that need it.
"""

from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, NamedTuple

import numpy as np

from muntin.audit.job import Arrivals, Job, KeyedBounds, SpecifiedWindows, compare
from muntin.audit.rule import Rule, Scope, shapes
from muntin.audit.sample import Sample, sample_of
from muntin.audit.specified_windows import needed_slacks, specified_windows
from muntin.kernels.slicing.arrays import Ints

CLOCKS: Sequence[tuple[Scope, Literal["event", "window"]]] = (
    ("stream", "event"),
    ("stream", "window"),
    ("key", "event"),
    ("key", "window"),
)
"""The clocks that are tried, each with both ways to judge a row."""
SLACKS = 12
"""How many slacks are tried between two others."""
ROUNDS = 6
"""How many samples are drawn to decide the slack."""
UNDECIDED = 16
"""How many rows that a slack leaves undecided a sample begins with."""
TRIALS = 300
"""About how many rules are scored."""
DURATIONS = tuple(n * 10**9 for n in (86400, 3600, 1800, 900, 600, 300, 120, 60, 30, 10, 5, 2, 1))
"""Nanoseconds of usual durations, the longest first."""
SHOWN = 3
"""How many windows that distinguish the runner-up are shown."""


class SlackRange(NamedTuple):
    """The slacks between which no row makes a difference; None if there is no greatest."""

    least: int = 0
    most: int | None = None


@dataclass(frozen=True)
class RuleChoice:
    """The best rule and its slack as a range; rules that explain as much; and the next best.

    A few windows of the sample distinguish the next best.
    """

    rule: Rule
    slack: SlackRange
    equals: Sequence[Rule]
    runner_up: Rule | None
    distinct: Sequence["DistinctWindow"]


class DistinctWindow(NamedTuple):
    """A window that two rules specify differently."""

    window: KeyedBounds
    best: object
    runner_up: object


@dataclass
class RuleSearch:
    """The search on one sample; each rule is scored once."""

    job: Job
    sample: Sample
    tick: Callable[[], None]
    scores: dict[Rule, float] = field(default_factory=dict[Rule, float])

    def score(self, rule: Rule) -> float:
        """How many windows of the sample a rule explains, less what it does not."""
        if rule not in self.scores:
            self.scores[rule] = compare(self.windows(rule), self.sample.emitted).score
            self.tick()
        return self.scores[rule]

    def windows(self, rule: Rule) -> SpecifiedWindows:
        """The windows of a rule that count in the sample."""
        windows = specified_windows(self.job, self.sample.rows, rule)
        return windows.picked(self.sample.counts(windows.windows))

    def best(self) -> Rule:
        """The best rule of all shapes and clocks, the simpler of two that are as good."""
        window = self.job.window
        has_early = bool((self.job.rows.time < self.job.length).any())
        plain = [Rule(shape) for shape in shapes(window.name, has_early=has_early)]
        best = max(plain, key=self.score)
        for _ in range(2):
            fits = [self.best_slack(rule, SlackRange()) for rule in with_clocks(best)]
            best = max([best, *fits], key=self.score)
            best = max(with_shapes(best, plain), key=self.score)  # the simplest of the best
        return best

    def best_slack(self, rule: Rule, within: SlackRange) -> Rule:
        """The rule with the slack that explains the most, of those that rows of the sample need."""
        needed = distinct_slacks(self.job, self.sample.rows, rule, within)
        low, high = 0, needed.size - 1
        while high - low > SLACKS:
            tried = np.unique(np.linspace(low, high, SLACKS).astype(np.int64))
            place = int(np.argmax([self._score_of(rule, int(needed[i])) for i in tried]))
            low, high = int(tried[max(0, place - 1)]), int(tried[min(tried.size - 1, place + 1)])
        slacks = needed[low : high + 1]
        return max((replace(rule, slack=int(slack)) for slack in slacks), key=self.score)

    def slack_range(self, rule: Rule, within: SlackRange) -> SlackRange:
        """The slacks from that of a rule up to the first that explains less.

        A row that joins a session may need less slack than alone, so it need not make a difference.
        """
        if rule.scope == "none":
            return SlackRange(rule.slack, None)
        needed = distinct_slacks(self.job, self.sample.rows, rule, within)
        above, best = needed[needed > rule.slack], self.score(rule)
        same = bisect_left(above, 1, key=lambda n: int(self._score_of(rule, int(n)) < best))
        return SlackRange(rule.slack, int(above[same]) - 1 if same < above.size else within.most)

    def _score_of(self, rule: Rule, slack: int) -> float:
        return self.score(replace(rule, slack=slack))

    def others(self, best: Rule) -> list[Rule]:
        """The rules that differ in more than the slack, each with its best one, the best first."""
        kinds = dict[tuple[object, str], Rule]()
        for rule in sorted(self.scores, key=self.score, reverse=True):
            _ = kinds.setdefault((rule.dialect, rule.scope), rule)
        return [rule for kind, rule in kinds.items() if kind != (best.dialect, best.scope)]

    def distinct_windows(self, best: Rule, other: Rule) -> Sequence[DistinctWindow]:
        """Windows that two rules specify differently, those first that the job has as the best."""
        tables = [self.windows(rule).windows for rule in (best, other)]
        values = [dict(zip(table.bounds(), table.value.tolist(), strict=True)) for table in tables]
        differing = [w for w in {**values[0], **values[1]} if values[0].get(w) != values[1].get(w)]
        return [DistinctWindow(w, values[0].get(w), values[1].get(w)) for w in differing[:SHOWN]]


def choose_rule(job: Job, first: Ints, tick: Callable[[], None]) -> RuleChoice:
    """Search on a sample that begins with some rows, then decide the slack by further ones."""
    search = RuleSearch(job, sample_of(job, first), tick)
    best = search.best()
    slack = search.slack_range(best, SlackRange())
    others, most = search.others(best), search.score(best)
    equals = [rule for rule in others if search.score(rule) == most]
    other = next((rule for rule in others if search.score(rule) < most), None)
    distinct = search.distinct_windows(best, other) if other else ()
    for _ in range(ROUNDS if best.scope != "none" else 0):
        undecided = undecided_rows(job, best, slack)
        if not undecided.size:
            break
        again = RuleSearch(job, sample_of(job, undecided), tick)
        best = again.best_slack(replace(best, slack=slack.least), slack)
        slack = again.slack_range(best, slack)
    best = replace(best, slack=round_slack(slack, job.unit)) if best.scope != "none" else best
    return RuleChoice(best, slack, equals, other, distinct)


def out_of_order_rows(rows: Arrivals) -> Ints:
    """Some rows that came after a later one, which clocks distinguish, and some of the latest."""
    (late,) = (rows.by_stream > rows.time).nonzero()
    some = np.random.default_rng(1).permutation(late)[:UNDECIDED]
    latest = late[np.argsort(rows.time[late] - rows.by_stream[late])][: UNDECIDED // 2]
    return np.concatenate((latest, some))


def undecided_rows(job: Job, rule: Rule, slack: SlackRange) -> Ints:
    """Some rows that are late with the least slack of a range, and not with its greatest."""
    below = np.iinfo(np.int64).max if slack.most is None else slack.most
    undecided = np.zeros(job.rows.time.size, np.bool_)
    for needed in needed_slacks(job, job.rows, rule):
        undecided |= (needed > slack.least) & (needed <= below)
    (places,) = undecided.nonzero()
    return np.random.default_rng(2).permutation(places)[:UNDECIDED]


def with_clocks(rule: Rule) -> Iterator[Rule]:
    """A rule with each clock; windows that begin with the first event are those of a batch."""
    if rule.dialect.first_window not in ("floor_first", "offset_first"):
        for scope, lateness in CLOCKS:
            yield Rule(replace(rule.dialect, lateness=lateness), scope)


def with_shapes(rule: Rule, plain: Iterable[Rule]) -> Iterator[Rule]:
    """A rule with other shapes and the same clock."""
    for other in plain:
        shape = other.dialect
        if rule.scope == "none" or shape.first_window in ("all", "nonnegative"):
            yield replace(rule, dialect=replace(shape, lateness=rule.dialect.lateness))


def distinct_slacks(job: Job, rows: Arrivals, rule: Rule, within: SlackRange) -> Ints:
    """The slacks that some row needs, and the least of the range."""
    most = np.iinfo(np.int64).max if within.most is None else within.most
    needed = np.unique(np.concatenate([*needed_slacks(job, rows, rule)]))
    return np.append(within.least, needed[(needed > within.least) & (needed <= most)])


def round_slack(slack: SlackRange, unit: int | None) -> int:
    """The roundest slack of a range: a multiple of the longest usual duration.

    >>> round_slack(SlackRange(4_200, 5_900), None), round_slack(SlackRange(4_200, 5_900), 10**6)
    (5000, 5000)
    """
    if slack.most is None or slack.least == 0:
        return slack.least
    steps = [n * 10**power for power in range(18, -1, -1) for n in (5, 2, 1)]
    if unit is not None:
        steps = [n // unit for n in DURATIONS if n % unit == 0] + steps
    fits: Iterator[int] = (step * -(-slack.least // step) for step in steps)
    return next(rounded for rounded in fits if rounded <= slack.most)
