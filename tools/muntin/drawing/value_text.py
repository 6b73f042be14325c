"""Values as text in a cell: complete if they fit, else their beginning and their end, as ab..u."""

from dataclasses import dataclass
from typing import TypeGuard

from muntin.drawing.scene import Box, Look
from muntin.spec.algebra.aggregate import AnyAggregate

IDENTITY = "⊥"
"""The text of a cell whose value is the identity: nothing is aggregated there [Tangwongsan15]."""

LONGEST = 10
"""The most characters of a cell before its text is abbreviated."""


@dataclass(frozen=True)
class Text:
    """A text, and its parts for an abbreviation."""

    full: str
    parts: tuple[str, ...] = ()

    def short(self, longest: int = LONGEST) -> str:
        """The text, abbreviated if it is too long.

        >>> Text("abcdefghijklmnop").short(), Text("4 7 3 2", ("4", "7", "3", "2")).short(5)
        ('ab..p', '4..2')
        """
        if len(self.full) <= longest:
            return self.full
        parts = self.parts or (self.full[:2], self.full[-1])
        brief = f"{parts[0]}..{parts[-1]}"
        return brief if len(brief) <= max(longest, 5) else f"{self.full[: longest - 1]}…"

    def box(  # noqa: PLR0913 - a place, a size, and what is in it
        self,
        place: tuple[float, float],
        size: tuple[float, float],
        look: Look,
        key: str,
        *,
        above: str = "",
        longest: int = LONGEST,
    ) -> Box:
        """A cell with this text, which is also its tooltip, and part of its key."""
        text, key = self.short(longest), f"{key}: {self.full}"
        return Box(*place, *size, look, text, above, self.full, key)


@dataclass(frozen=True)
class ValueFormatter:
    """Formats the values of an aggregate: lowered, as a result is."""

    aggregate: AnyAggregate

    def text(self, value: object) -> Text:
        """The text of a partial aggregate."""
        if value == self.aggregate.monoid.identity:
            return Text(IDENTITY)
        return plain_text(self.aggregate.lower(value))


def plain_text(value: object) -> Text:
    """The text of a result.

    >>> plain_text((4, 7)).full, plain_text(None).full, plain_text(2.5).full
    ('4 7', 'none', '2.5')
    """
    if value is None:
        return Text("none")
    if isinstance(value, str):
        return Text(value)
    if _is_sequence(value):
        parts = tuple(plain_text(item).full for item in value)
        return Text(" ".join(parts), parts)
    text = str(value)
    return Text(text, (text,))


def _is_sequence(value: object) -> TypeGuard[tuple[object, ...]]:
    return isinstance(value, tuple)
