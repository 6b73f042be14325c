"""Window types as they travel to the workers of Spark.

Spark sends functions by value. The measures of time and of count, and the marks of punctuations,
are told by identity, so they are sent by name.
"""

from collections.abc import Mapping
from dataclasses import dataclass, fields, is_dataclass

from muntin.spec.errors import InvalidInputError
from muntin.spec.windows.data_driven import Punctuation
from muntin.spec.windows.measure import COUNT, TIME
from muntin.spec.windows.window import WindowType

KNOWN: Mapping[str, object] = {
    "time": TIME,
    "count": COUNT,
    "punctuation": Punctuation().marks,
}


@dataclass(frozen=True)
class ByName:
    """What stands for something that is told by identity."""

    name: str


@dataclass(frozen=True)
class SerializedWindow:
    """A window type under its name, in pieces."""

    id: str
    cls: type[WindowType]
    pieces: tuple[tuple[str, object], ...]

    def kind(self) -> WindowType:
        """Return the window type.

        >>> serialize("w", Punctuation()).kind() == Punctuation()
        True
        """
        whole = object.__new__(self.cls)
        for name, piece in self.pieces:
            known = KNOWN[piece.name] if isinstance(piece, ByName) else piece
            object.__setattr__(whole, name, known)
        return whole


def serialize(name: str, kind: WindowType) -> SerializedWindow:
    """Return a window type in pieces."""
    if not is_dataclass(kind):
        raise InvalidInputError(f"window {name!r}: {kind!r} must be a frozen dataclass")
    names = {id(one): ByName(known) for known, one in KNOWN.items()}
    found = {one.name: getattr(kind, one.name) for one in fields(kind)} | vars(kind)
    if "measure" not in found:
        found["measure"] = kind.measure
    pieces = tuple((name, names.get(id(piece), piece)) for name, piece in found.items())
    return SerializedWindow(name, type(kind), pieces)
