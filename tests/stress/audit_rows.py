"""An audit of ten million rows, tumbling windows and sessions: within five minutes each.

`python tests/stress/audit_rows.py [ROWS]` makes a job under a rule, spoils three windows, and fails
if the audit takes longer, finds another rule, or blames other windows.
"""

import sys
from dataclasses import replace
from time import monotonic

import numpy as np

from audit.jobs import emitted_by, job_of
from muntin.audit.job import last_of_each
from muntin.audit.job_audit import audit
from muntin.audit.rule import Rule
from muntin.spec.dialect import Dialect
from muntin.spec.windows.data_driven import Session
from muntin.spec.windows.periodic import Sliding

SECONDS, KEYS = 300, 10_000
JOBS: dict[str, tuple[Sliding | Session, Rule]] = {
    "tumbling": (Sliding(60_000_000, 60_000_000), Rule(Dialect(), "stream", 5_000_000)),
    "session": (
        Session(20_000_000),
        Rule(Dialect(session_merge="le", lateness="window"), "stream", 5_000_000),
    ),
}


def main(rows: int) -> int:
    """Audit each job."""
    rng = np.random.default_rng(1)
    late = np.where(rng.random(rows) < 0.01, rng.integers(0, 120_000_000, rows), 0)
    times = np.cumsum(rng.integers(0, 5_000, rows)) - late
    keys, values = rng.integers(0, KEYS, rows), rng.integers(1, 1000, rows)
    failed = 0
    for name, (window, rule) in JOBS.items():
        job = job_of(times, keys, values, window)
        table = emitted_by(job, rule)
        spoiled = rng.choice(table.key.size, 3, replace=False)
        value = table.value.copy()
        value[spoiled] += 1
        last, repeated = last_of_each(table._replace(value=value))
        started = monotonic()
        outcome = audit(replace(job, emitted=last, repeated=repeated, unit=1000))
        seconds = monotonic() - started
        blamed = {blame.window for blame in outcome.blames.blames}
        expected = set(table.picked(spoiled).bounds())
        is_right = outcome.choice.rule.dialect.lateness == rule.dialect.lateness
        is_right = is_right and outcome.choice.slack.least <= rule.slack and blamed == expected
        failed += not is_right or seconds > SECONDS
        sys.stdout.write(f"{name}: {rows} rows, {table.key.size} windows, {seconds:.0f} s, ")
        sys.stdout.write(f"{outcome.choice.rule}, {'right' if is_right else 'WRONG'}\n")
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main(int(float(sys.argv[1])) if len(sys.argv) > 1 else 10**7))
