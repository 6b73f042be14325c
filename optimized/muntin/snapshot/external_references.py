"""External objects of an operator, which are no state: queries, settings, configuration.

A snapshot refers into them by path, ("query 'w0'", "aggregate", "monoid", "combine"). The restored
operator resolves that path in its own queries, settings and configuration.
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
    """External objects by path, and paths by object."""

    def __init__(self, roots: Mapping[str, object]) -> None:
        """Index all objects reachable from these roots through fields."""
        self.roots = dict(roots)
        self._paths: dict[int, ReferencePath] = {}
        self._functions: list[object] = []  # and objects made of functions
        waiting = deque[tuple[ReferencePath, object]](
            ((name,), root) for name, root in roots.items()
        )
        while waiting:
            path, item = waiting.popleft()
            shared_by_all = is_scalar(item) or any(item is empty for empty in SHARED_EMPTY)
            if not shared_by_all and id(item) not in self._paths:
                self._paths[id(item)] = path
                self._functions += [item] if type(item) in CODE_TYPES else []
                waiting += [((*path, name), part) for name, part in referenced_fields(item).items()]

    def path(self, item: object) -> ReferencePath | None:
        """The path of an external object, or of one that is structurally equal.

        Queries share equal computations, so a state may hold a function of a removed query.
        """
        if id(item) not in self._paths and type(item) in CODE_TYPES:
            equals = (self._paths[id(f)] for f in self._functions if same_function(f, item))
            self._paths.update({id(item): path for path in islice(equals, 1)})
        return self._paths.get(id(item))

    def resolve(self, path: ReferencePath) -> object:
        """The external object at a path."""
        item: object = self.roots
        for depth, name in enumerate(path):
            parts = referenced_fields(item) if depth else self.roots
            if name not in parts:
                raise SnapshotError(
                    f"the snapshot refers to {' . '.join(path)}, but the operator has no {name}; "
                    "restore it into one with the same queries, settings and configuration"
                )
            item = parts[name]
        return item


def referenced_fields(item: object) -> dict[str, object]:
    """The fields of an external object; an object that is no dataclass has none."""
    cls = type(item)
    return fields_of(item) if class_info(cls).is_external or is_dataclass(cls) else {}


@singledispatch
def description(item: object, depth: int = MAX_DEPTH) -> str:
    """A text that is equal for equal definitions, in every run of Python.

    >>> from muntin.spec.windows.periodic import tumbling
    >>> description(tumbling(10))
    "Sliding(measure='time', offset=0, size=10, slide=10)"
    """
    if is_scalar(item):
        return repr(item)
    fields = referenced_fields(item) if depth else {}
    inside = ", ".join(f"{name}={description(part, depth - 1)}" for name, part in fields.items())
    return f"{type(item).__qualname__}({inside})"


@description.register
def _(item: int, _: int = MAX_DEPTH) -> str:
    return hex(item) if item.bit_length() > MAX_DECIMAL_BITS else repr(item)


@description.register
def _(item: Measure, _: int = MAX_DEPTH) -> str:
    return repr(item.name)


@description.register(type)
@description.register(FunctionType)
@description.register(BuiltinFunctionType)
def _(item: FunctionType, _: int = MAX_DEPTH) -> str:
    return item.__qualname__


@description.register(tuple)
@description.register(list)
def _(item: Iterable[object], depth: int = MAX_DEPTH) -> str:
    return f"({', '.join(description(part, depth - 1) for part in item)})" if depth else "(...)"


@description.register(Mapping)
def _(item: Mapping[object, object], depth: int = MAX_DEPTH) -> str:
    pairs = sorted((description(k, depth - 1), description(v, depth - 1)) for k, v in item.items())
    return "{" + ", ".join(f"{key}: {value}" for key, value in pairs) + "}"
