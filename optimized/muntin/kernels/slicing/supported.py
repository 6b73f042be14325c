"""What has a form over columns, and what has none, with the reason."""

from muntin.kernels.slicing.arrays import FIRST, LAST, LONGEST, within
from muntin.spec.dialect import OURS, Dialect
from muntin.spec.errors import UnsupportedError
from muntin.spec.query import Query, Settings
from muntin.spec.windows.data_driven import Punctuation, Rolling, Session
from muntin.spec.windows.measure import COUNT, TIME
from muntin.spec.windows.periodic import Band, Cumulate, Landmark, Sliding
from muntin.spec.windows.window import WindowType

IN_TIME = (Sliding, Cumulate, Landmark, Band, Session, Rolling, Punctuation)
BY_WINDOW = (Sliding, Cumulate, Landmark, Band, Session)


def refusal(query: Query, settings: Settings) -> str | None:
    """Say why a query has no form over columns, if it has none."""
    kind, dialect = query.window, settings.dialect
    if dialect not in (OURS, Dialect(lateness="window")):
        return f"only lateness of a dialect has a form over columns, not {dialect}"
    if kind.measure is not TIME and not (
        kind.measure is COUNT and isinstance(kind, Sliding | Rolling)
    ):
        return f"{kind.name} windows over the measure {kind.measure.name!r} have no form on columns"
    if type(kind) not in IN_TIME:
        return f"{kind.name} windows have no form over columns"
    if isinstance(kind, Punctuation) and kind.marks is not Punctuation().marks:
        return "punctuations that a function finds have no form over columns; mark the events"
    by_window = isinstance(kind, BY_WINDOW) and kind.measure is TIME
    if dialect.lateness == "window" and not by_window:
        return f"{kind.name} windows have no form over columns where lateness is by window"
    return _too_long(kind, settings)


def _too_long(kind: WindowType, settings: Settings) -> str | None:
    sizes = ("size", "slide", "offset", "step", "gap", "every")
    places = {name: getattr(kind, name) for name in ("at", "start", "end") if hasattr(kind, name)}
    lengths = {name: getattr(kind, name) for name in sizes if hasattr(kind, name)}
    lengths["allowed lateness"] = settings.allowed_lateness
    try:
        for bound, numbers in ((LAST, places), (LONGEST, lengths)):
            for name, value in numbers.items():
                within(value, f"the {name} of {kind.name} windows", bound)
    except UnsupportedError as error:
        return str(error)
    return None


def last_end(kind: WindowType, time: int) -> int:
    """Return the end of the last window that holds a time, FIRST if none does (rule 4)."""
    if isinstance(kind, Sliding):
        start = time - (time - kind.offset) % kind.slide
        return start + kind.size if time < start + kind.size else FIRST
    if isinstance(kind, Cumulate):
        return time - (time - kind.offset) % kind.size + kind.size
    if isinstance(kind, Band):
        return kind.end if kind.start <= time < kind.end else FIRST
    if isinstance(kind, Landmark):
        return LAST if time >= kind.at else FIRST
    raise NotImplementedError(kind)
