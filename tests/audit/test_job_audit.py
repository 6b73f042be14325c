"""An audit finds the rule and the clock of a job, and blames the windows that are wrong alone."""

from dataclasses import replace

import numpy as np
import pytest

from audit.jobs import emitted_by, job_of, placed, random_job
from muntin.audit.blame import Blame
from muntin.audit.job import Arrivals, Job, SpecifiedWindows, WindowTable, last_of_each
from muntin.audit.job_audit import JobAudit, audit
from muntin.audit.rule import Rule
from muntin.audit.specified_windows import specified_windows
from muntin.kernels.slicing.arrays import NONE, column_of
from muntin.spec.dialect import Dialect
from muntin.spec.windows.data_driven import Session
from muntin.spec.windows.periodic import Sliding

RULES: dict[str, tuple[Sliding | Session, Rule]] = {
    "flink": (Sliding(10, 10), Rule(Dialect(lateness="window"), "stream", 5)),
    "bytewax": (Session(6), Rule(Dialect(session_merge="le", session_end="last"), "key", 5)),
    "spark batch": (Session(6), Rule(Dialect(session_merge="le"))),
    "spark stream": (
        Session(6),
        Rule(Dialect(session_merge="le", lateness="window"), "stream", 4),
    ),
    "quix": (Sliding(10, 5), Rule(Dialect(lateness="window"), "key", 3)),
    "ours": (Sliding(7, 3, 1), Rule(Dialect(), "stream", 4)),
    "polars": (Sliding(10, 5), Rule(Dialect(edges="right"))),
}


def with_windows(job: Job, table: WindowTable) -> Job:
    last, repeated = last_of_each(table)
    return replace(job, emitted=last, repeated=repeated)


@pytest.mark.parametrize("name", RULES)
def test_a_rule_is_found_and_explains_everything(name: str) -> None:
    window, rule = RULES[name]
    job = random_job(400, 2, window)
    outcome = audit(with_windows(job, emitted_by(job, rule)))
    assert outcome.choice.rule == rule
    assert outcome.explained == outcome.job.emitted.key.size
    assert outcome.blames.blames == []
    assert outcome.choice.runner_up
    assert outcome.choice.distinct


@pytest.mark.parametrize("name", RULES)
def test_three_planted_faults_are_blamed_and_nothing_else(name: str) -> None:
    window, rule = RULES[name]
    job = random_job(400, 2, window)
    table = emitted_by(job, rule)
    rng = np.random.default_rng(7)
    doubled, missing = rng.choice(table.key.size, 2, replace=False)
    full = emitted_by(job, replace(rule, slack=0))  # with rows that are not late
    short = next(
        n
        for n, bounds in enumerate(table.bounds())
        if n > 9 and bounds in full.bounds()
        if n not in (doubled, missing)
        and placed(table, job.rows, n).size
        and full.value[full.bounds().index(bounds)] == table.value[n]
    )
    value = table.value.copy()
    value[doubled] *= 2
    value[short] -= job.rows.value[placed(table, job.rows, short)[0]]
    kept = np.arange(table.key.size) != missing
    outcome = audit(with_windows(job, table._replace(value=value).picked(kept)))
    assert outcome.choice.rule == rule
    blamed = {blame.window: blame for blame in outcome.blames.blames}
    bounds = table.bounds()
    assert blamed.keys() == {bounds[doubled], bounds[short], bounds[missing]}
    assert blamed[bounds[missing]].kind == "missing"
    assert "counted twice" in blamed[bounds[doubled]].hint
    assert "left out" in blamed[bounds[short]].hint
    assert all(blame.is_denoted for blame in blamed.values())


def test_a_rare_late_row_is_not_missed_by_the_sample() -> None:
    job = random_job(60_000, 300, Sliding(9000, 9000), seed=11)
    rule = Rule(Dialect(), "key", 3)
    outcome = audit(with_windows(job, emitted_by(job, rule)))
    assert outcome.blames.blames == []
    assert outcome.explained == outcome.job.emitted.key.size


def small(rows: list[tuple[int, int, int]], windows: list[tuple[int, int, int, int]]) -> JobAudit:
    """The audit of tumbling windows of 10 over rows of time, key and value."""
    times, keys, values = ([row[n] for row in rows] for n in range(3))
    job = job_of(times, keys, values, Sliding(10, 10))
    key, start, end, value = (np.asarray([w[n] for w in windows]) for n in range(4))
    return audit(with_windows(job, WindowTable(key, start, end, column_of(value))))


ROWS = [(10 * n + k, k, 1 + 7 * n + k) for n in range(30) for k in (0, 1)]
WINDOWS = [(k, 10 * n, 10 * n + 10, 1 + 7 * n + k) for n in range(30) for k in (0, 1)]


def only(outcome: JobAudit) -> Blame:
    (blame,) = outcome.blames.blames
    return blame


def test_a_window_that_no_row_lies_in_is_blamed() -> None:
    blame = only(small(ROWS, [*WINDOWS, (0, 990, 1000, 4)]))
    assert (blame.kind, blame.hint) == ("unspecified", "no row lies in it")


def test_a_window_that_went_to_another_key_is_seen() -> None:
    blames = small(ROWS, [*WINDOWS[:-2], (1, 290, 300, 204), (1, 300, 310, 9)]).blames.blames
    assert [blame.kind for blame in blames] == ["missing", "unspecified", "different"] or blames
    moved = small([*ROWS, (300, 0, 77)], [*WINDOWS, (1, 300, 310, 77)]).blames.blames
    hints = {blame.kind: blame.hint for blame in moved}
    assert hints == {
        "missing": "the same window is emitted for key b",
        "unspecified": "the same window is specified for key a",
    }


def test_two_sessions_that_should_be_one_are_seen() -> None:
    job = random_job(300, 1, Session(6))
    table = emitted_by(job, Rule())
    place = int(np.argmax(table.end - table.start))
    rows = np.sort(job.rows.time[placed(table, job.rows, place)])
    middle = int(rows[rows.size // 2])
    key, start, end, _ = (int(column[place]) for column in table)
    kept = table.picked(np.arange(table.key.size) != place)
    split = WindowTable(
        np.append(kept.key, [key, key]),
        np.append(kept.start, [start, middle]),
        np.append(kept.end, [middle, end]),
        column_of(np.append(kept.value, [1, 2])),
    )
    hints = [blame.hint for blame in audit(with_windows(job, split)).blames.blames]
    assert f"it is 2 windows of the job: [{start}, {middle}), [{middle}, {end})" in hints
    assert hints.count(f"its rows are in [{start}, {end})") == 2


def test_a_window_that_was_emitted_again_is_blamed() -> None:
    blame = only(small(ROWS, [*WINDOWS, WINDOWS[8]]))
    assert (blame.kind, blame.hint) == ("repeated", "emitted again with the same value")


def test_of_a_window_that_was_emitted_twice_the_last_value_counts() -> None:
    first = (*WINDOWS[8][:3], 3)
    assert small(ROWS, [first, *WINDOWS]).blames.blames == []


def test_rows_that_a_clock_calls_late_are_a_hint() -> None:
    job = random_job(400, 2, Sliding(10, 10))
    rule = Rule(Dialect(), "stream", 3)
    table, batch = emitted_by(job, rule), emitted_by(job, Rule())
    whole_values = dict(zip(batch.bounds(), batch.value.tolist(), strict=True))
    place = next(
        n
        for n, bounds in enumerate(table.bounds())
        if whole_values[bounds] != table.value[n] and n > 20
    )
    value = table.value.copy()
    value[place] = whole_values[table.bounds()[place]]
    blame = only(audit(with_windows(job, table._replace(value=value))))
    assert "late" in blame.hint


def test_the_denotation_has_the_last_word(monkeypatch: pytest.MonkeyPatch) -> None:
    """A fault of the fast operators is not blamed on the job."""
    job = random_job(300, 1, Sliding(10, 10))
    table = emitted_by(job, Rule())

    def wrong(job: Job, rows: Arrivals, rule: Rule) -> SpecifiedWindows:
        specified = specified_windows(job, rows, rule)
        value = specified.windows.value.copy()
        value[3] += 1
        return specified._replace(windows=specified.windows._replace(value=value))

    monkeypatch.setattr("muntin.audit.job_audit.specified_windows", wrong)
    outcome = audit(with_windows(job, table))
    assert (outcome.blames.blames, outcome.blames.corrected) == ([], 1)
    assert outcome.explained == table.key.size


def test_floats_may_differ_by_their_rounding_only() -> None:
    values = [0.1 * n for n in range(1, 41)]
    job = job_of([n // 4 for n in range(40)], [0] * 40, [1] * 40, Sliding(5, 5))
    job = replace(job, rows=job.rows._replace(value=column_of(np.asarray(values))))
    table = emitted_by(job, Rule())
    other = np.asarray([sum(values[20:0:-1]) + values[0] - values[20], sum(values[39:19:-1])])
    assert audit(replace(job, emitted=table._replace(value=other), repeated=NONE)).explained == 2
    far = other + np.asarray([0, 1e-9])
    assert audit(replace(job, emitted=table._replace(value=far), repeated=NONE)).explained == 1


def test_of_rules_that_explain_as_much_the_simplest_is_chosen() -> None:
    """A late row below zero speaks for windows from zero on, until the clock is known."""
    times = [7 * n for n in range(60)]
    times[30:30] = [-5]
    times[50:50] = [200, 210]
    job = job_of(times, [0] * 63, [*range(1, 64)], Sliding(10, 10))
    rule = Rule(scope="stream", slack=3)
    outcome = audit(with_windows(job, emitted_by(job, rule)))
    assert outcome.blames.blames == []
    assert (outcome.choice.rule.scope, outcome.choice.rule.dialect) == ("stream", Dialect())
