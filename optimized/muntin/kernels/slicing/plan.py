"""What is picked for a query, and why: the one place that decides how cells are kept and folded."""

from typing import Literal, NamedTuple

from muntin.columnar.engine.kernel_language import COMPILED
from muntin.columnar.engine.plan import ENGINE_TYPES, reads_records
from muntin.columnar.engine_group import ENGINE_OUTPUTS
from muntin.kernels.slicing.custom_part import Custom
from muntin.kernels.slicing.forms import Form, Opaque
from muntin.kernels.slicing.supported import refusal
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
    """Pick slices where no window looks into them, without holes where compiled kernels can."""
    kind, name = query.window, form.name
    if reason := _not_over_columns(query, form, settings, wanted):
        return Plan("generic", reason)
    if wanted == "records":
        return Plan("records", "it was asked for")
    if isinstance(form, Opaque) or form.holistic or form.ordered:
        whole = "is holistic" if form.holistic else "is not commutative"
        why = "has no form over columns" if isinstance(form, Opaque) else whole
        return Plan("records", f"{name} {why}")
    single = f"{kind.name} windows look at single events"
    if wanted != "slices" and reads_records(kind, settings.output) and not _raises(form):
        return Plan("compiled", single)
    if settings.output == "discard":
        single = "to discard is to tell events apart"
    elif kind.measure is TIME and traits_of(kind).slice_edges is not None:
        return _sliced(query, form, settings, wanted)
    return Plan("records", single)


def _not_over_columns(
    query: Query, form: Form | Opaque, settings: Settings, wanted: Method
) -> str | None:
    if isinstance(form, Opaque) and wanted == "auto":
        return f"{form.name} has no form over columns"
    return "it was asked for" if wanted == "generic" else refusal(query, settings)


def _sliced(query: Query, form: Form, settings: Settings, wanted: Method) -> Plan:
    kind = query.window
    if wanted == "slices":
        return Plan("slices", "it was asked for")
    if settings.dialect.lateness != "event":
        return Plan("slices", "lateness is by window")
    reasons = {
        f"{kind.name} windows may reach far back": not isinstance(kind, ENGINE_TYPES),
        f"the engine does not {settings.output}": settings.output not in ENGINE_OUTPUTS,
        f"the functions of {form.name} raise errors": _raises(form),
        "kernels are not compiled here": not COMPILED and wanted == "auto",
    }
    for reason, holds in reasons.items():
        if holds:
            return Plan("slices", reason)
    return Plan("compiled", "one compiled call a step")


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
