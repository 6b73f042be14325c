"""The windows of a call, each under its name, and none longer than columns can say."""

from collections.abc import Iterable, Mapping

from muntin.kernels.slicing.arrays import FARTHEST, LONGEST
from muntin.spark.call.arguments import is_mapping, is_several
from muntin.spark.call.window_serialization import SerializedWindow, serialize
from muntin.spec.errors import InvalidInputError
from muntin.spec.windows.data_driven import LastNEvery, Rolling, Session
from muntin.spec.windows.periodic import Band, Cumulate, Landmark, Sliding
from muntin.spec.windows.window import WindowType

LENGTHS: Mapping[type[WindowType], tuple[str, ...]] = {
    Sliding: ("size", "slide", "offset"),
    Cumulate: ("size", "step", "offset"),
    Landmark: ("every",),
    Session: ("gap",),
    Rolling: ("size",),
    LastNEvery: ("n", "every"),
}
PLACES: Mapping[type[WindowType], tuple[str, ...]] = {Landmark: ("at",), Band: ("start", "end")}
"""Names of numbers, of types that are just these: what derives from one says itself what it is."""


def windows_of(given: object) -> tuple[SerializedWindow, ...]:
    """Return the windows under their names; in a list, each is called by its type."""
    if is_mapping(given):
        pairs = [(_name(name), _kind(one)) for name, one in given.items()]
    elif is_several(given):
        pairs = _by_type([_kind(one) for one in given])
    else:
        raise InvalidInputError(
            "windows must be a list of window types, or a dict from names to them, such as "
            f"[tumbling(micros('1 hour'))], not {given!r}"
        )
    if not pairs:
        raise InvalidInputError("say at least one window")
    for name, one in pairs:
        _short(name, one)
    return tuple(serialize(name, one) for name, one in pairs)


def _name(name: object) -> str:
    if isinstance(name, str):
        return name
    raise InvalidInputError(f"the name of a window must be a string, not {name!r}")


def _kind(one: object) -> WindowType:
    if isinstance(one, WindowType):
        return one
    raise InvalidInputError(f"{one!r} is no window type, such as tumbling(micros('1 hour'))")


def _by_type(kinds: Iterable[WindowType]) -> list[tuple[str, WindowType]]:
    every = list(kinds)
    names = [one.name for one in every]
    return [
        (name if names.count(name) == 1 else f"{name} {names[:i].count(name) + 1}", one)
        for i, (name, one) in enumerate(zip(names, every, strict=True))
    ]


def _short(name: str, kind: WindowType) -> None:
    for numbers, bound in ((LENGTHS, LONGEST), (PLACES, FARTHEST)):
        for what in numbers.get(type(kind), ()):
            value = getattr(kind, what)
            short(value, f"the {what} {value} of window {name!r}", bound)


def short(value: int, what: str, bound: int = LONGEST) -> None:
    """Refuse what leads beyond 64 bits.

    >>> short(2**64, "the size")
    Traceback (most recent call last):
        ...
    muntin.spec.errors.InvalidInputError: the size is more than the columns of the answer can say...
    """
    if not -bound < value < bound:
        raise InvalidInputError(
            f"{what} is more than the columns of the answer can say: it must lie within "
            f"{bound - 1} of 0"
        )
