"""What a query must be made of: said when it is asked, not when the first event comes."""

from muntin.spec.algebra.aggregate import Aggregate
from muntin.spec.errors import InvalidInputError
from muntin.spec.query import Query
from muntin.spec.windows.window import WindowType

NEEDED: tuple[tuple[str, type, str], ...] = (
    ("name", str, "a text"),
    ("window", WindowType, "a WindowType"),
    ("aggregate", Aggregate, "an Aggregate"),
)


def check_query(query: Query) -> None:
    """Refuse what is no query, and a query whose name, window or aggregate is none.

    >>> from muntin.spec.algebra.catalogue import named
    >>> check_query(Query("q", 5, named("sum")))
    Traceback (most recent call last):
        ...
    muntin.spec.errors.InvalidInputError: query 'q': its window must be a WindowType, not 5
    """
    if not isinstance(query, Query):  # pyright: ignore[reportUnnecessaryIsInstance] - untyped
        raise InvalidInputError(f"what is asked is a Query, not {query!r}")
    given: list[object] = [query.id, query.window, query.aggregate]
    for one, (what, needed, words) in zip(given, NEEDED, strict=True):
        if not isinstance(one, needed):
            message = f"its {what} must be {words}, not {one!r}"
            raise InvalidInputError(f"query {query.id!r}: {message}")
