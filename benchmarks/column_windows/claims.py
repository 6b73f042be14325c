"""What must hold, and the figures that decide it."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from column_windows.footprint import Calls, Footprint, are_constant
from column_windows.measure import LoadFigures
from column_windows.starts import FirstAnswer
from column_windows.tables import TableFigures
from column_windows.workload import Load, power
from rounds.report import Claim

CONCURRENT, KEYED, READ, LATE = 3.0, 6.0, 3.0, 3.0
"""How many times as long a row may take: 1,000 windows, 10^6 keys, any reading of columns, and one
row in 2,000 that is late by a minute, which is allowed."""
SINGLE_ROW, CALLS = 3000, 20
COLD, COLD_KEYED, WARM = 3.0, 6.0, 0.3
KEYS = (10, 1000, 100_000, 1_000_000)
GAINS: Mapping[tuple[int, bool, int], tuple[float, float, float, float]] = {
    (5, False, 100): (10, 15, 7, 5),
    (5, True, 100): (60, 50, 20, 20),
    (1, False, 2000): (4, 5, 3, 2.5),
    (5, False, 2000): (5, 12, 8, 5),
    (5, True, 2000): (25, 30, 12, 7),
    (1, False, 100_000): (1.3, 2.5, 1.5, 1.5),
    (5, False, 100_000): (1.6, 6, 1.5, 1.8),
    (5, True, 100_000): (10, 7, 4, 2.5),
}
"""How many times as fast as the old engine, by windows, session and batch, for each of the keys."""
SMALL_GAINS = {(1, False): 30, (10, False): 30, (1, True): 40, (10, True): 40}
"""The same for one key, by batch and session."""


class Report(NamedTuple):
    """All that a run measures."""

    figures: Sequence[LoadFigures]
    answers: Sequence[FirstAnswer] = ()
    calls: Sequence[Calls] = ()
    footprints: Sequence[Footprint] = ()
    tables: Sequence[TableFigures] = ()


def claims(report: Report) -> Iterator[Claim]:
    """Yield each claim that the run has figures for."""
    by_load = {one.load: one for one in report.figures}
    yield from scale_claims(by_load)
    yield from step_claims(by_load, report.calls)
    yield from start_claims(report.answers)
    if any(one.gain for one in report.figures):
        yield from gain_claims(by_load)


def scale_claims(by_load: Mapping[Load, LoadFigures]) -> Iterator[Claim]:
    """Yield how the cost of a row grows with windows and keys."""
    pairs = [
        (Load(1000, session, batch), Load(1, session, batch), CONCURRENT)
        for session in (False, True)
        for batch in (2000, 100_000)
    ]
    pairs += [
        (Load(1, session, batch, 10**6), Load(1, session, batch, 1000), KEYED)
        for session in (False, True)
        for batch in (2000, 100_000)
    ]
    pairs += [
        (Load(5, session, 2000, keys, "one very late"), Load(5, session, 2000, keys), LATE)
        for session in (False, True)
        for keys in (1, 1000)
    ]
    for many, few, most in pairs:
        if many in by_load and few in by_load:
            ratio = by_load[few].rate / by_load[many].rate
            sentence = f"{many.name}: at most {most:.0f} times the cost of {few.name}"
            yield Claim(ratio <= most, sentence, f"{ratio:.1f} times")
    bare = by_load.get(Load(1, batch=100_000, disorder="in order"))
    if bare:
        sentence = f"{bare.load.name}: at most {READ:.0f} times as long as a loop that adds up"
        yield Claim(bare.cost <= READ, sentence, f"{bare.cost:.1f} times")


def step_claims(by_load: Mapping[Load, LoadFigures], calls: Sequence[Calls]) -> Iterator[Claim]:
    """Yield the cost of a step of one row, and its calls."""
    for session in (False, True):
        single = by_load.get(Load(1, session, batch=1))
        if single:
            ns = 1e9 / single.rate
            sentence = f"{single.load.name}: a step takes less than {SINGLE_ROW:,} ns"
            yield Claim(ns < SINGLE_ROW, sentence, f"{ns:,.0f} ns")
    if calls:
        most, least = (limit(one.python for one in calls) for limit in (max, min))
        sentence = f"a step calls fewer than {CALLS} functions of Python"
        yield Claim(most < CALLS, sentence, f"{least} to {most}")
        sentence = "the calls of a step depend on neither windows, keys nor sessions"
        same = are_constant([one for one in calls if one.load.batch > 1])
        yield Claim(same, sentence, f"{least} to {most}")


def start_claims(answers: Sequence[FirstAnswer]) -> Iterator[Claim]:
    """Yield the seconds until the first answer."""
    for one in answers:
        most = COLD if one.kind == "one key" else COLD_KEYED
        sentence = f"{one.kind}: the first answer of all comes within {most:.0f} s of CPU"
        yield Claim(one.cold < most, sentence, f"{one.cold:.1f} s")
        sentence = f"{one.kind}: that of a second process within {WARM} s, imports included"
        yield Claim(one.warm < WARM, sentence, f"{one.warm:.2f} s")


def gain_claims(by_load: Mapping[Load, LoadFigures]) -> Iterator[Claim]:
    """Yield how many times as fast as the other engine."""
    gains = {load: one.gain for load, one in by_load.items() if one.gain}
    for (windows, session, batch), goals in GAINS.items():
        base = Load(windows, session, batch)
        least = {replace(base, keys=k): goal for k, goal in zip(KEYS, goals, strict=True)}
        measured = {load: gains[load] for load in least if load in gains}
        if measured:
            numbers = " / ".join(power(load.keys) for load in measured)
            names = base.name.replace("1 key", f"{numbers} keys")
            times = " / ".join(f"{least[load]:g}" for load in measured)
            yield Claim(
                all(gain >= least[load] for load, gain in measured.items()),
                f"{names}: at least {times} times the other engine",
                " / ".join(f"{gain:.1f}" for gain in measured.values()),
            )
    for (batch, session), goal in SMALL_GAINS.items():
        of_size = [
            gain
            for load, gain in gains.items()
            if load == Load(load.windows, session, batch) and load.windows <= 100  # noqa: PLR2004 - goals end there
        ]
        if of_size:
            sentence = f"{Load(batch=batch, session=session).name.partition(', ')[2]}"
            kind = "with a session" if session else "without a session"
            sentence = f"{sentence}, {kind}: at least {goal} times the other engine"
            yield Claim(min(of_size) >= goal, sentence, " / ".join(f"{g:.1f}" for g in of_size))
    worst = min(gains, key=gains.__getitem__)
    sentence = "no load of the grid is slower than with the other engine"
    yield Claim(gains[worst] >= 1, sentence, f"{worst.name}: {gains[worst]:.2f}")
