"""The windows of a call, none longer than columns can hold, as they are sent to workers.

Spark pickles functions by value. The measures of time and of count, and the marks of punctuations,
are compared by identity, so they are sent by name.
"""

from collections.abc import Mapping
from dataclasses import dataclass, fields, is_dataclass

from muntin.columnar.embedding import FARTHEST, LONGEST
from muntin.optimized.common.window_traits import traits_of
from muntin.spec.errors import InvalidInputError
from muntin.spec.windows.data_driven import Punctuation
from muntin.spec.windows.measure import COUNT, TIME
from muntin.spec.windows.window import WindowType

BY_NAME: Mapping[str, object] = {"time": TIME, "count": COUNT, "punctuation": Punctuation().marks}


@dataclass(frozen=True)
class ObjectName:
    """The name of an object that is compared by identity."""

    name: str


@dataclass(frozen=True)
class SerializedWindow:
    """A window type under its id, as its attributes."""

    id: str
    cls: type[WindowType]
    attributes: tuple[tuple[str, object], ...]

    def kind(self) -> WindowType:
        """The window type.

        >>> serialize("w", Punctuation()).kind() == Punctuation()
        True
        """
        kind = object.__new__(self.cls)
        for name, value in self.attributes:
            decoded = BY_NAME[value.name] if isinstance(value, ObjectName) else value
            object.__setattr__(kind, name, decoded)
        return kind


def serialize(name: str, kind: WindowType) -> SerializedWindow:
    """A window type as its attributes."""
    if not is_dataclass(kind):
        raise InvalidInputError(f"window {name!r}: {kind!r} must be a frozen dataclass")
    names = {id(each): ObjectName(key) for key, each in BY_NAME.items()}
    attributes = {field.name: getattr(kind, field.name) for field in fields(kind)} | vars(kind)
    if "measure" not in attributes:
        attributes["measure"] = kind.measure
    encoded = tuple((name, names.get(id(value), value)) for name, value in attributes.items())
    return SerializedWindow(name, type(kind), encoded)


def serialize_windows(windows: Mapping[str, WindowType]) -> tuple[SerializedWindow, ...]:
    """The windows of a call, whose parameters are within bounds."""
    for name, kind in windows.items():
        traits = traits_of(kind)
        lengths = {**traits.lengths, **traits.counts}
        for parameters, bound in ((lengths, LONGEST), (traits.positions, FARTHEST)):
            for parameter, value in parameters.items():
                check_length(value, f"the {parameter} {value} of window {name!r}", bound)
    return tuple(serialize(name, kind) for name, kind in windows.items())


def check_length(value: int, name: str, bound: int = LONGEST) -> None:
    """Refuse what leads beyond 64 bits.

    >>> check_length(2**64, "the size")
    Traceback (most recent call last):
        ...
    muntin.spec.errors.InvalidInputError: the size is more than result columns can hold: it must...
    """
    if not -bound < value < bound:
        raise InvalidInputError(
            f"{name} is more than result columns can hold: it must lie within {bound - 1} of 0"
        )
