"""What is picked for a query, and why: the one place that decides how cells are kept and folded."""

from typing import Literal, NamedTuple

from muntin.columnar.engine.kernel_language import COMPILED
from muntin.columnar.engine.plan import (
    ENGINE_TYPES,
    reads_records,
    record_row,
    unserved_decision,
)
from muntin.kernels.slicing.custom_part import Custom
from muntin.kernels.slicing.forms import Form, Opaque
from muntin.kernels.slicing.supported import OFFERED, form_refusal, refusal
from muntin.optimized.common.window_traits import traits_of
from muntin.spec.query import Query, Settings
from muntin.spec.windows.measure import TIME

Method = Literal["auto", "compiled", "slices", "records", "generic"]
"""How cells are kept: in slices without holes, in slices, or each event by itself; or not at all,
where the generic operator serves a query.
"""
METHODS: tuple[Method, ...] = ("auto", "compiled", "slices", "records", "generic")


class Plan(NamedTuple):
    """How the cells of a query are kept, and the reason."""

    method: Method
    why: str


def planned(query: Query, form: Form | Opaque, settings: Settings, wanted: Method) -> Plan:
    """Pick the engine where it serves a query, else slices where no window looks into them."""
    if wanted == "generic":
        return Plan("generic", "it was asked for")
    unserved = not_compiled(query, form, settings, wanted)
    if unserved is None:
        single = f"{query.window.name} windows look at single events"
        return Plan("compiled", single if record_row(query.window) else "one compiled call a step")
    if reason := _not_over_columns(query, form, settings, wanted):
        return Plan("generic", unserved if settings.dialect not in OFFERED else reason)
    records = wanted == "records" or isinstance(form, Opaque) or form.holistic or form.ordered
    if records or settings.output == "discard":  # which tells events apart
        return Plan("records", unserved)
    kind = query.window
    sliced = kind.measure is TIME and traits_of(kind).slice_edges is not None
    return Plan("slices" if sliced else "records", unserved)


def _not_over_columns(
    query: Query, form: Form | Opaque, settings: Settings, wanted: Method
) -> str | None:
    if isinstance(form, Opaque) and wanted == "auto":
        return f"{form.name} has no form over columns"
    return refusal(query, settings)


def not_compiled(
    query: Query, form: Form | Opaque, settings: Settings, wanted: Method
) -> str | None:
    """Why the engine does not serve a query, if so."""
    kind = query.window
    if isinstance(form, Opaque) or form.holistic or form.ordered:
        whole = "is holistic" if not isinstance(form, Opaque) and form.holistic else None
        why = "has no form over columns" if isinstance(form, Opaque) else "is not commutative"
        return f"{form.name} {whole or why}"
    if wanted in {"slices", "records"}:
        return "it was asked for"
    if record_row(kind):
        if _raises(form):
            return f"the functions of {form.name} raise errors"
        single = f"{kind.name} windows look at single events"
        return refusal(query, settings) if reads_records(kind, settings.output) else single
    if reason := form_refusal(query, settings) or unserved_decision(kind, settings.dialect):
        return reason
    reasons = {
        f"{kind.name} windows look at single events": kind.measure is not TIME
        or type(kind) not in ENGINE_TYPES,
        f"the functions of {form.name} raise errors": _raises(form),
        "kernels are not compiled here": not COMPILED and wanted == "auto",
    }
    return next((reason for reason, holds in reasons.items() if holds), None)


def _raises(form: Form) -> bool:
    """Whether the functions of an aggregate may raise errors."""
    return any(isinstance(part, Custom) and part.may_raise for part in form.parts)


def explained(query: Query, form: Form | Opaque, plan: Plan, now: str) -> str:
    """Return a line about a query."""
    asked = f"{query.id}: {query.window.name} of {form.name}"
    if plan.method == "generic":
        return f"{asked}: generic ({plan.why})"
    if isinstance(form, Opaque):
        folds = "by definition"
    else:
        parts = {type(part).__name__.lower(): part.folds for part in form.parts}
        folds = "; ".join(f"{part} by {how}" for part, how in parts.items())
    moved = "" if now == plan.method else f", by now {now}"
    return f"{asked}: {plan.method}{moved} ({plan.why}); {folds}"
