"""What an audit says, as lines and as a JSON document."""

import json
from collections.abc import Iterator

from muntin.audit.blame import Blame, key_text
from muntin.audit.job import Job, KeyedBounds
from muntin.audit.job_audit import JobAudit
from muntin.audit.rule import TEXTS, Rule
from muntin.audit.rule_search import SlackRange
from muntin.audit.unit_text import length_text, time_text
from muntin.conformance.transcript.json_reader import Json, encode
from muntin.conformance.transcript.replay import replay, write, write_dialect
from muntin.reference.specification import SpecificationOperator


def report_lines(audit: JobAudit, shown: int) -> Iterator[str]:
    """The rule, the next best, and the first blamed windows."""
    job, choice = audit.job, audit.choice
    windows, rows = job.emitted.key.size, job.rows.time.size
    yield f"{rows} rows, {len(job.keys)} keys, {windows} windows"
    yield f"rule: {rule_text(choice.rule, choice.slack, job.unit)}"
    for rule in choice.equals[:shown]:
        yield f"  as good, on each window of the sample: {rule_text(rule, None, job.unit)}"
    if choice.runner_up:
        yield f"next best: {rule_text(choice.runner_up, None, job.unit)}"
        for window in choice.distinct:
            values = [value_text(value) for value in (window.best, window.runner_up)]
            text = window_text(job, window.window)
            yield f"  {text}: {values[0]} by the rule, {values[1]} by this one"
    more = f"; {audit.missing} that it specifies are missing" if audit.missing else ""
    yield f"{audit.explained} of {windows} windows explained{more}"
    blames = audit.blames.blames
    table = [blame_cells(job, blame) for blame in blames[:shown]]
    widths = [max(len(row[i]) for row in table) for i in range(3)] if table else []
    for row in table:
        cells = [cell.ljust(width) for cell, width in zip(row[:3], widths, strict=True)]
        yield "  " + "  ".join([*cells, row[3]])
    rest = len(blames) - shown + audit.blames.more
    if rest > 0:
        yield f"  and {rest} more"


def rule_text(rule: Rule, slack: SlackRange | None, unit: int | None) -> str:
    """A rule in a sentence, with the slacks that would do as well."""
    parts = [TEXTS[rule.scope]]
    if rule.scope != "none":
        text = f"slack {length_text(rule.slack, unit)}"
        if slack and slack.most is None:
            text += f" ({length_text(slack.least, unit)} or more)"
        elif slack and slack.most is not None and slack.most > slack.least:
            most = length_text(slack.most, unit)
            text += f" ({length_text(slack.least, unit)} to {most} do as well)"
        parts.append(text)
    return ", ".join([*parts, f"dialect {json.dumps(write_dialect(rule.dialect))}"])


def value_text(value: object) -> str:
    """The value of a window that may not be there."""
    return "nothing" if value is None else json.dumps(encode(value))


def window_text(job: Job, window: KeyedBounds) -> str:
    """A window with its key, if the rows have keys."""
    name = "" if job.keys == [None] else f"{key_text(job.keys[window.key])} "
    return f"{name}[{time_text(window.start, job.unit)}, {time_text(window.end, job.unit)})"


def blame_cells(job: Job, blame: Blame) -> tuple[str, str, str, str]:
    """The window, both values, and the hint."""
    return (
        window_text(job, blame.window),
        f"specified {value_text(blame.specified)}",
        f"the job {value_text(blame.emitted)}",
        blame.hint,
    )


def document(audit: JobAudit) -> dict[str, Json]:
    """The audit as an object of JSON; times are integers in `unit_ns`, if that is not null."""
    job, choice = audit.job, audit.choice
    slack: dict[str, Json] = {"least": choice.slack.least, "most": choice.slack.most}
    distinct: list[Json] = [
        {
            **window_fields(job, w.window),
            "rule": encode(w.best),
            "next": encode(w.runner_up),
        }
        for w in choice.distinct
    ]
    return {
        "rows": int(job.rows.time.size),
        "windows": int(job.emitted.key.size),
        "unit_ns": job.unit,
        "rule": {**choice.rule.fields(), "slack": slack},
        "equals": [rule.fields() for rule in choice.equals],
        "next": None if choice.runner_up is None else choice.runner_up.fields(),
        "distinct": distinct,
        "explained": audit.explained,
        "missing": int(audit.missing),
        "blamed": [blame_fields(job, blame) for blame in audit.blames.blames],
        "more": audit.blames.more,
        "trace": None if audit.trace is None else transcript(audit),
    }


def window_fields(job: Job, window: KeyedBounds) -> dict[str, Json]:
    """A window as an object of JSON."""
    return {"key": job.keys[window.key], "start": window.start, "end": window.end}


def blame_fields(job: Job, blame: Blame) -> dict[str, Json]:
    """A blamed window as an object of JSON."""
    return {
        "kind": blame.kind,
        **window_fields(job, blame.window),
        "specified": encode(blame.specified),
        "emitted": encode(blame.emitted),
        "hint": blame.hint,
        "denoted": blame.is_denoted,
    }


def transcript(audit: JobAudit) -> dict[str, Json]:
    """The rows around the first blamed window with what is specified, as a transcript."""
    if audit.trace is None:
        return {}
    trace = audit.trace
    outputs = list(replay(trace, SpecificationOperator(trace.settings)))
    return write(trace.queries, trace.turns, trace.settings, outputs)
