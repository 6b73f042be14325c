"""States as bytes, with what they are states of: what was written by another call is refused."""

from collections.abc import Sequence

from muntin.kernels.slicing.over import is_row
from muntin.snapshot import SnapshotError, decode, encode
from muntin.snapshot.envelope import Envelope, framed, installed, unframed
from muntin.snapshot.external_references import described as text
from muntin.spark.call.query_plan import AggregationPlan

FORMAT = 1
"""The version of the form of states. It goes up when equal bytes would mean something else."""
REMEDY = "go on with the version of muntin that wrote it, or begin with a new checkpoint"
AGGREGATE = "the aggregate "


def query_fingerprint(plan: AggregationPlan) -> list[str]:
    """Return what must be alike where a state is written and where it is read."""
    settings, columns = plan.settings, [f"{n}: {plan.types[n].simpleString()}" for n in plan.read]
    lines = [f"the columns {', '.join(columns)}", f"the keys {', '.join(plan.keys) or 'none'}"]
    lines += [f"the window {name!r}: {text(kind)}" for name, kind in plan.kinds().items()]
    lines += [f"{AGGREGATE}{one.description}" for one in plan.aggregates]
    lines += [f"the {what} {one}" for what, one in _looked_at(plan).items() if one]
    lateness = f"the allowed lateness {settings.allowed_lateness}"
    return [*lines, lateness, f"the output {settings.output}", f"the dialect {settings.dialect}"]


def _looked_at(plan: AggregationPlan) -> dict[str, str | None]:
    """Return the columns that are looked at, and which the list of all columns does not tell."""
    time = plan.time if plan.time in plan.keys else None
    return {"time": time, "gap": plan.gap, "mark": plan.mark}


def framed_state(kind: str, told: Sequence[str], held: object) -> bytes:
    """Return a state as bytes: its kind, what it is a state of, and what is held."""
    return framed(Envelope(FORMAT, installed(), encode([kind, list(told), held])))


def read_state(kind: str, told: Sequence[str], data: bytes) -> object:
    """Return what is held by a state of this kind, and of this very call; or refuse it."""
    whole = decode(unframed(data, FORMAT, REMEDY).body)
    if not is_row(whole) or len(whole) != 3 or whole[0] != kind:  # noqa: PLR2004 - as above
        raise SnapshotError(f"this is no state of a {kind}")
    before = [str(line) for line in whole[1]] if is_row(whole[1]) else []
    for line in (*before, *told):
        if line not in before or line not in told:
            gone = [one for one in before if one not in told]
            new = [one for one in told if one not in before]
            raise SnapshotError(
                "this checkpoint is of another call of muntin.spark.aggregate: there were "
                f"{'; '.join(gone) or 'none'}; now there are {'; '.join(new) or 'none'}. "
                "Go on with the call as it was, or begin with a new checkpoint"
            )
    order, now = ([one for one in lines if one.startswith(AGGREGATE)] for lines in (before, told))
    if order != now:
        raise SnapshotError(
            "this checkpoint is of a call of muntin.spark.aggregate with its aggregates in another "
            f"order: {'; '.join(order)}. Ask for them in that order, or begin with a new checkpoint"
        )
    return whole[2]
