"""What is given to an operator and is no state: queries, settings, configuration.

A snapshot refers into them by path, ("query 'w0'", "aggregate", "monoid", "combine"), and a
restored operator has what is at that path of what it was given itself.
"""

from collections import deque
from collections.abc import Iterable, Mapping
from dataclasses import is_dataclass
from functools import singledispatch
from itertools import islice
from types import BuiltinFunctionType, FunctionType

from muntin.snapshot.containers import EMPTY
from muntin.snapshot.errors import SnapshotError
from muntin.snapshot.function_equality import same_function
from muntin.snapshot.object_graph import is_scalar
from muntin.snapshot.state_classes import facts, fields_of
from muntin.spec.algebra.aggregate import Aggregate
from muntin.spec.algebra.monoid import Monoid
from muntin.spec.windows.measure import Measure

Path = tuple[str, ...]
MADE_OF_CODE = (FunctionType, Monoid, Aggregate)
DEEP, LONG = 6, 1000


class ExternalReferences:
    """Objects by path, and the paths of objects."""

    def __init__(self, roots: Mapping[str, object]) -> None:
        """Find what can be reached from these roots through fields."""
        self.roots = dict(roots)
        self._paths: dict[int, Path] = {}
        self._functions: list[object] = []  # and what is made of functions
        waiting = deque[tuple[Path, object]](((name,), root) for name, root in roots.items())
        while waiting:
            path, here = waiting.popleft()
            shared_by_all = is_scalar(here) or any(here is one for one in EMPTY)
            if not shared_by_all and id(here) not in self._paths:
                self._paths[id(here)] = path
                self._functions += [here] if type(here) in MADE_OF_CODE else []
                waiting += [((*path, name), part) for name, part in parts_of(here).items()]

    def path(self, whole: object) -> Path | None:
        """Return how to come to an object, if it was given; or to one that is alike.

        Where queries share what they compute, a state may hold the function of one that has gone.
        """
        if id(whole) not in self._paths and type(whole) in MADE_OF_CODE:
            twins = (self._paths[id(one)] for one in self._functions if same_function(one, whole))
            self._paths.update({id(whole): path for path in islice(twins, 1)})
        return self._paths.get(id(whole))

    def at(self, path: Path) -> object:
        """Return what is at a path."""
        here: object = self.roots
        for nth, name in enumerate(path):
            parts = parts_of(here) if nth else self.roots
            if name not in parts:
                raise SnapshotError(
                    f"the snapshot refers to {' . '.join(path)}, and there is no {name} here"
                )
            here = parts[name]
        return here


def parts_of(whole: object) -> dict[str, object]:
    """Return the fields of what is given; what is no dataclass is one thing."""
    cls = type(whole)
    return fields_of(whole) if facts(cls).given or is_dataclass(cls) else {}


@singledispatch
def described(whole: object, depth: int = DEEP) -> str:
    """Return a text that is equal for what is written alike, in every run of Python.

    >>> from muntin.spec.windows.periodic import tumbling
    >>> described(tumbling(10))
    "Sliding(measure='time', offset=0, size=10, slide=10)"
    """
    if is_scalar(whole):
        return repr(whole)
    fields = parts_of(whole) if depth else {}
    inside = ", ".join(f"{name}={described(part, depth - 1)}" for name, part in fields.items())
    return f"{type(whole).__qualname__}({inside})"


@described.register
def _(whole: int, _: int = DEEP) -> str:
    return hex(whole) if whole.bit_length() > LONG else repr(whole)


@described.register
def _(whole: Measure, _: int = DEEP) -> str:
    return repr(whole.name)


@described.register(type)
@described.register(FunctionType)
@described.register(BuiltinFunctionType)
def _(whole: FunctionType, _: int = DEEP) -> str:
    return whole.__qualname__


@described.register(tuple)
@described.register(list)
def _(whole: Iterable[object], depth: int = DEEP) -> str:
    return f"({', '.join(described(part, depth - 1) for part in whole)})" if depth else "(...)"


@described.register(Mapping)
def _(whole: Mapping[object, object], depth: int = DEEP) -> str:
    pairs = sorted((described(k, depth - 1), described(v, depth - 1)) for k, v in whole.items())
    return "{" + ", ".join(f"{key}: {value}" for key, value in pairs) + "}"
