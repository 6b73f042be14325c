"""Names of columns that are put beside the caller's: all begin alike, as no other name may."""

PREFIX = "muntin "


def internal_name(what: object) -> str:
    """Return the name of such a column.

    >>> internal_name("slot"), internal_name(0)
    ('muntin slot', 'muntin 0')
    """
    return f"{PREFIX}{what}"


def is_internal_name(name: str) -> bool:
    """Whether a name may be that of such a column to Spark, which looks at no case."""
    return name.lower().startswith(PREFIX)
