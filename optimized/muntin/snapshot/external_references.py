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

from muntin.snapshot.containers import SHARED_EMPTY
from muntin.snapshot.errors import SnapshotError
from muntin.snapshot.function_equality import same_function
from muntin.snapshot.object_graph import is_scalar
from muntin.snapshot.state_classes import class_info, fields_of
from muntin.spec.algebra.aggregate import Aggregate
from muntin.spec.algebra.monoid import Monoid
from muntin.spec.windows.measure import Measure

ReferencePath = tuple[str, ...]
CODE_TYPES = (FunctionType, Monoid, Aggregate)
MAX_DEPTH, MAX_DECIMAL_BITS = 6, 1000


class ExternalReferences:
    """Objects by path, and the paths of objects."""

    def __init__(self, roots: Mapping[str, object]) -> None:
        """Find what can be reached from these roots through fields."""
        self.roots = dict(roots)
        self._paths: dict[int, ReferencePath] = {}
        self._functions: list[object] = []  # and what is made of functions
        waiting = deque[tuple[ReferencePath, object]](
            ((name,), root) for name, root in roots.items()
        )
        while waiting:
            path, here = waiting.popleft()
            shared_by_all = is_scalar(here) or any(here is one for one in SHARED_EMPTY)
            if not shared_by_all and id(here) not in self._paths:
                self._paths[id(here)] = path
                self._functions += [here] if type(here) in CODE_TYPES else []
                waiting += [((*path, name), part) for name, part in referenced_fields(here).items()]

    def path(self, whole: object) -> ReferencePath | None:
        """Return how to come to an object, if it was given; or to one that is alike.

        Where queries share what they compute, a state may hold the function of one that has gone.
        """
        if id(whole) not in self._paths and type(whole) in CODE_TYPES:
            twins = (self._paths[id(one)] for one in self._functions if same_function(one, whole))
            self._paths.update({id(whole): path for path in islice(twins, 1)})
        return self._paths.get(id(whole))

    def resolve(self, path: ReferencePath) -> object:
        """Return what is at a path."""
        here: object = self.roots
        for nth, name in enumerate(path):
            parts = referenced_fields(here) if nth else self.roots
            if name not in parts:
                raise SnapshotError(
                    f"the snapshot refers to {' . '.join(path)}, and there is no {name} here"
                )
            here = parts[name]
        return here


def referenced_fields(whole: object) -> dict[str, object]:
    """Return the fields of what is given; what is no dataclass is one thing."""
    cls = type(whole)
    return fields_of(whole) if class_info(cls).is_external or is_dataclass(cls) else {}


@singledispatch
def description(whole: object, depth: int = MAX_DEPTH) -> str:
    """Return a text that is equal for what is written alike, in every run of Python.

    >>> from muntin.spec.windows.periodic import tumbling
    >>> described(tumbling(10))
    "Sliding(measure='time', offset=0, size=10, slide=10)"
    """
    if is_scalar(whole):
        return repr(whole)
    fields = referenced_fields(whole) if depth else {}
    inside = ", ".join(f"{name}={description(part, depth - 1)}" for name, part in fields.items())
    return f"{type(whole).__qualname__}({inside})"


@description.register
def _(whole: int, _: int = MAX_DEPTH) -> str:
    return hex(whole) if whole.bit_length() > MAX_DECIMAL_BITS else repr(whole)


@description.register
def _(whole: Measure, _: int = MAX_DEPTH) -> str:
    return repr(whole.name)


@description.register(type)
@description.register(FunctionType)
@description.register(BuiltinFunctionType)
def _(whole: FunctionType, _: int = MAX_DEPTH) -> str:
    return whole.__qualname__


@description.register(tuple)
@description.register(list)
def _(whole: Iterable[object], depth: int = MAX_DEPTH) -> str:
    return f"({', '.join(description(part, depth - 1) for part in whole)})" if depth else "(...)"


@description.register(Mapping)
def _(whole: Mapping[object, object], depth: int = MAX_DEPTH) -> str:
    pairs = sorted((description(k, depth - 1), description(v, depth - 1)) for k, v in whole.items())
    return "{" + ", ".join(f"{key}: {value}" for key, value in pairs) + "}"
