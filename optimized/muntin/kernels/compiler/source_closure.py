"""The source text of a function and of all that it reads: the cache key of its compiled code.

The text holds the function, its helpers and the constants that they read, each under a unique name,
without comments.
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
"""Modules that a kernel may import: one version behaves equally everywhere."""


class SourceClosure:
    """Definitions under unique names, each after those that it reads."""

    def __init__(self) -> None:
        """Start without definitions."""
        self.lines: list[str] = []
        self._names: dict[int, str] = {}
        self._named_objects: list[object] = []  # alive, so that no other object gets their identity
        self._numbers = count()

    @property
    def text(self) -> str:
        """All definitions."""
        return "\n".join([*self.lines, ""])

    def add_function(self, original: Function) -> str:
        """Add a function and all that it reads; its unique name."""
        function: object = getattr(original, "py_func", original)  # without the wrapper of Numba
        if id(function) in self._names:
            return self._names[id(function)]
        if not isinstance(function, FunctionType):
            raise UnsupportedError(f"{original!r} cannot be compiled: it is not written in Python")
        tree = _AnnotationRemover({}).visit(_definition(function))
        name = self._new_name(function, function.__name__)
        renamer = _AnnotationRemover({function.__name__: name})
        for read, value in _free_names(function, tree):
            own = value is original  # a recursive call
            renamer.new_names[read] = name if own else self._add_value(function, read, value)
        self.lines.append("@inlined\n" + ast.unparse(renamer.visit(tree)))
        return name

    def _new_name(self, value: object, name: str) -> str:
        self._named_objects.append(value)
        self._names[id(value)] = f"of_user_{next(self._numbers)}_{name}"
        return self._names[id(value)]

    def _add_value(self, function: FunctionType, name: str, value: object) -> str:
        """Add an object that a function reads; its name in the text."""
        if isinstance(value, ModuleType) and value.__name__ in IMPORTABLE_MODULES:
            self.lines.append(f"import {value.__name__}")
            return value.__name__
        if getattr(math, name, None) is value or getattr(builtins, name, None) is value:
            self.lines.append(f"from {'math' if hasattr(math, name) else 'builtins'} import {name}")
            return name
        if _is_constant(value):
            constant = self._new_name(value, name)
            self.lines.append(f"{constant} = {value!r}")
            return constant
        if callable(value):
            return self.add_function(value)
        raise UnsupportedError(
            f"{function.__name__} reads {name}, which is {value!r}: a compiled function may read "
            "numbers, tuples of numbers, functions, math and numpy"
        )


def _is_constant(value: object) -> bool:
    if issubclass(type(value), tuple):
        members: Iterator[object] = methodcaller("__iter__")(value)
        return all(map(_is_constant, members))
    return type(value) in (int, float, bool)


def _definition(function: FunctionType) -> ast.FunctionDef:
    """The definition of a function without its decorators."""
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
    """Names that a function reads from outside, with their values, except builtins."""
    cells = zip(function.__code__.co_freevars, function.__closure__ or (), strict=True)
    scope = {**function.__globals__, **{name: cell.cell_contents for name, cell in cells}}
    nodes = list(ast.walk(tree))
    names = {n.id for n in nodes if isinstance(n, ast.Name)}
    own = {n.id for n in nodes if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    own |= {n.arg for n in nodes if isinstance(n, ast.arg)}
    return [(name, scope[name]) for name in sorted(names - own) if name in scope]


class _AnnotationRemover(ast.NodeTransformer):
    """Renames names that a function reads, and removes annotations."""

    def __init__(self, renamed: dict[str, str]) -> None:
        self.new_names = renamed

    def visit_Name(self, node: ast.Name) -> ast.Name:
        """Rename a name."""
        return ast.Name(self.new_names.get(node.id, node.id), node.ctx)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        """Rename a function, and remove its return annotation."""
        node.name = self.new_names.get(node.name, node.name)
        node.returns = None
        return self.generic_visit(node)

    def visit_arg(self, node: ast.arg) -> ast.arg:
        """Remove the annotation."""
        return ast.arg(node.arg)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST:
        """Remove the annotation."""
        if node.value is None:
            return ast.Pass()
        return self.generic_visit(ast.Assign([node.target], node.value, lineno=node.lineno))
