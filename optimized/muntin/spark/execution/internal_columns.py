"""Names of internal columns in the caller's DataFrame: they share a prefix of their own."""

PREFIX = "muntin "


def internal_name(suffix: object) -> str:
    """The name of an internal column.

    >>> internal_name("slot"), internal_name(0)
    ('muntin slot', 'muntin 0')
    """
    return f"{PREFIX}{suffix}"


def is_internal_name(name: str) -> bool:
    """Whether Spark, which folds cases, may read a name as that of an internal column."""
    return name.lower().startswith(PREFIX)
