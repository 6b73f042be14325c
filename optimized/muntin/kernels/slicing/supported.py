"""What has a form over columns, and what has none, with the reason."""

from muntin.kernels.slicing.arrays import LAST, LONGEST, within
from muntin.kernels.slicing.track import view_of
from muntin.kernels.slicing.view import COUNTED
from muntin.optimized.common.window_traits import EVERYTHING, inputs_of, traits_of
from muntin.spec.dialect import OURS, Dialect
from muntin.spec.errors import UnsupportedError
from muntin.spec.query import Query, Settings
from muntin.spec.windows.measure import COUNT, TIME
from muntin.spec.windows.window import WindowType

OFFERED = (OURS, Dialect(lateness="window"))


def refusal(query: Query, settings: Settings) -> str | None:
    """Say why slices and records can't serve a query, if so."""
    kind, dialect = query.window, settings.dialect
    if dialect not in OFFERED:
        return f"only lateness of a dialect has a form over columns, not {dialect}"
    by_window = traits_of(kind).slice_edges is not None and kind.measure is TIME
    reason = form_refusal(query, settings)
    if reason is None and dialect.lateness == "window" and not by_window:
        return f"{kind.name} windows have no form over columns where lateness is by window"
    return reason


def form_refusal(query: Query, settings: Settings) -> str | None:
    """Say why a query has no form over columns in our dialect, if it has none."""
    kind = query.window
    if kind.measure is not TIME and not (kind.measure is COUNT and isinstance(kind, COUNTED)):
        return f"{kind.name} windows over the measure {kind.measure.name!r} have no form on columns"
    if type(kind) not in view_of.registry:
        return f"{kind.name} windows have no form over columns"
    if inputs_of(kind) == EVERYTHING:
        return "punctuations that a function finds have no form over columns; mark the events"
    return _too_long(kind, settings)


def _too_long(kind: WindowType, settings: Settings) -> str | None:
    traits = traits_of(kind)
    lengths = {**traits.lengths, **traits.counts, "allowed lateness": settings.allowed_lateness}
    try:
        for bound, numbers in ((LAST, traits.positions), (LONGEST, lengths)):
            for name, value in numbers.items():
                within(value, f"the {name} of {kind.name} windows", bound)
    except UnsupportedError as error:
        return str(error)
    return None
