"""Decisions of a dialect that the algorithms have no form for; naive operators follow them."""

from muntin.spec.dialect import Dialect
from muntin.spec.windows.measure import COUNT
from muntin.spec.windows.periodic import Sliding
from muntin.spec.windows.window import WindowType


def unsupported_decision(window: WindowType, dialect: Dialect) -> str | None:
    """Why no algorithm serves a window type in a dialect, if so.

    >>> unsupported_decision(Sliding(4, 2), Dialect(first_window="offset_first"))
    'only naive operators know the first sliding window (first_window: offset_first)'
    """
    is_periodic = isinstance(window, Sliding) and window.measure is not COUNT
    if is_periodic and dialect.first_window == "offset_first":
        first = f"the first {window.name} window (first_window: offset_first)"
        return f"only naive operators know {first}"
    return None
