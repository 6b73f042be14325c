"""The text of a function and of everything that it reads: what its compiled form depends on.

A cache of compiled code is only as good as its key. The text made here holds the function, its
helpers, and the constants that they read, each under a name of its own, without comments.
"""

import ast
import builtins
import math
from collections.abc import Callable, Iterator
from inspect import getsource
from itertools import count
from operator import methodcaller
from textwrap import dedent
from types import FunctionType, ModuleType

from muntin.spec.errors import UnsupportedError

Function = Callable[..., object]

IMPORTABLE_MODULES = ("math", "numpy")
"""What a kernel may import, since it is the same wherever it has the same version."""


class SourceClosure:
    """Definitions in an order in which they can be read, under names that nothing else has."""

    def __init__(self) -> None:
        """Start with nothing."""
        self.lines: list[str] = []
        self._names: dict[int, str] = {}
        self._named_objects: list[object] = []  # so that no other object gets the identity of one
        self._numbers = count()

    @property
    def text(self) -> str:
        """All definitions."""
        return "\n".join([*self.lines, ""])

    def add_function(self, given: Function) -> str:
        """Add a function and what it reads, and return its name here."""
        function: object = getattr(given, "py_func", given)  # what Numba has wrapped
        if id(function) in self._names:
            return self._names[id(function)]
        if not isinstance(function, FunctionType):
            raise UnsupportedError(f"{given!r} cannot be compiled: it is not written in Python")
        tree = _AnnotationRemover({}).visit(_definition(function))
        name = self._new_name(function, function.__name__)
        bare = _AnnotationRemover({function.__name__: name})
        for read, value in _free_names(function, tree):
            bare.new_names[read] = (
                name if value is given else self._add_value(function, read, value)
            )
        self.lines.append("@inlined\n" + ast.unparse(bare.visit(tree)))
        return name

    def _new_name(self, value: object, name: str) -> str:
        self._named_objects.append(value)
        self._names[id(value)] = f"of_user_{next(self._numbers)}_{name}"
        return self._names[id(value)]

    def _add_value(self, function: FunctionType, name: str, value: object) -> str:
        """Add what a function reads by this name, and return its name here."""
        if isinstance(value, ModuleType) and value.__name__ in IMPORTABLE_MODULES:
            self.lines.append(f"import {value.__name__}")
            return value.__name__
        if getattr(math, name, None) is value or getattr(builtins, name, None) is value:
            self.lines.append(f"from {'math' if hasattr(math, name) else 'builtins'} import {name}")
            return name
        if _is_constant(value):
            mine = self._new_name(value, name)
            self.lines.append(f"{mine} = {value!r}")
            return mine
        if callable(value):
            return self.add_function(value)
        raise UnsupportedError(
            f"{function.__name__} reads {name}, which is {value!r}: what is compiled may read "
            "numbers, tuples of numbers, functions, math and numpy"
        )


def _is_constant(value: object) -> bool:
    if issubclass(type(value), tuple):
        members: Iterator[object] = methodcaller("__iter__")(value)
        return all(map(_is_constant, members))
    return type(value) in (int, float, bool)


def _definition(function: FunctionType) -> ast.FunctionDef:
    """Return the definition of a function, without decorators."""
    try:
        tree = ast.parse(dedent(getsource(function)))
    except (OSError, SyntaxError) as cause:
        raise UnsupportedError(f"the source of {function.__qualname__} cannot be read") from cause
    match tree.body:
        case [ast.FunctionDef() as definition]:
            definition.decorator_list = []
            return definition
        case _:
            raise UnsupportedError(f"{function.__qualname__} must be written with def")


def _free_names(function: FunctionType, tree: ast.FunctionDef) -> list[tuple[str, object]]:
    """Return what a function finds outside of itself, by name; builtins are the same everywhere."""
    cells = zip(function.__code__.co_freevars, function.__closure__ or (), strict=True)
    scope = {**function.__globals__, **{name: cell.cell_contents for name, cell in cells}}
    nodes = list(ast.walk(tree))
    names = {n.id for n in nodes if isinstance(n, ast.Name)}
    own = {n.id for n in nodes if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    own |= {n.arg for n in nodes if isinstance(n, ast.arg)}
    return [(name, scope[name]) for name in sorted(names - own) if name in scope]


class _AnnotationRemover(ast.NodeTransformer):
    """Renames what a function reads, and takes types off, which mean nothing there."""

    def __init__(self, renamed: dict[str, str]) -> None:
        self.new_names = renamed

    def visit_Name(self, node: ast.Name) -> ast.Name:
        """Rename."""
        return ast.Name(self.new_names.get(node.id, node.id), node.ctx)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        """Rename, and take off what it says it returns."""
        node.name = self.new_names.get(node.name, node.name)
        node.returns = None
        return self.generic_visit(node)

    def visit_arg(self, node: ast.arg) -> ast.arg:
        """Take the type off."""
        return ast.arg(node.arg)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST:
        """Take the type off."""
        if node.value is None:
            return ast.Pass()
        return self.generic_visit(ast.Assign([node.target], node.value, lineno=node.lineno))
