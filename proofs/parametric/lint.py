"""A lint for what an opaque value cannot notice: tests of identity and of class in the algorithms.

`is`, `isinstance`, `type`, `id` and the like accept any value, and distinguish values. Where an
algorithm uses one, its argument must be no aggregated value but a node, a window type, an event.
The name of the argument shows which (`SUBJECTS`); every other use must be among the `EXCEPTIONS`,
each with its reason. Invariants may compare: they are no part of the algorithm.
"""

import ast
from collections.abc import Iterator
from pathlib import Path

from evidence.checks import ROOT

ALGORITHMS = ROOT / "optimized" / "muntin" / "optimized"
RELATIONS = ("invariants.py",)
DISTINGUISHING = frozenset(
    (
        *("isinstance", "issubclass", "type", "id", "hash", "getattr", "setattr", "hasattr"),
        *("vars", "cast", "eval", "exec", "callable", "repr", "print", "dir"),
    )
)

SUBJECTS = {
    "node": "a node of a tree",
    "_right": "a node of a tree",
    "one": "an aggregate function",
    "field_value": "a field of a query, to check its type",
    "other": "a node of a tree, or an aggregate function",
    "kind": "a window type",
    "window": "a window type",
    "holds": "a method of a window type",
    "measure": "a measure",
    "closing": "a decision of a dialect",
    "manager": "the windows of a query over slices",
    "cause": "an exception",
    "accepted": "an event and its number",
    "identity": "of a monoid, to decide whether two queries have the same",
}

EXCEPTIONS = {
    "isinstance(value, bool)": "frames look at the values of events, by definition; at no partial",
    "isinstance(value, Number | None)": "the same",
    "self.always_affected.pop(name, self) is self": "the timers, a mark for an unknown name",
    "stored_slice.partial is not partial": "a partial that is the same object has not changed, "
    "so the store is not updated; for another object it is, whatever its value",
    "type(partial)": "a slice begins with it: the first of each type is tried on the identity, "
    "so that an uncombinable value is refused with its event; no answer depends on it",
    "id(monoid.combine)": "a function of the user's, to cache which types it was tried on",
    **dict.fromkeys(
        (
            *("type(total)", "type(left)", "type(example)", "type(total) is type(left)"),
            "type(total) is type(example)",
        ),
        "a combine returns the type of its arguments, or the result is tried as above",
    ),
    "total is NotImplemented": "Python's own operators return it for unsupported types",
    "total is not NotImplemented": "the same",
    "kind.marks is Punctuation().marks": "a function of a window type",
    "isinstance(query, Query)": "a query that is added, which is no value",
    "hash(self._function_ids())": "the functions that make an aggregate, to check its claims once",
    "repr(self.letters)": "the same; letters are the checker's, of no stream",
    "letters is LETTERS": "the same",
    "id(aggregate)": "whether an aggregate is one of the catalogue, whose claims need no check",
}


def distinguishing_uses(path: Path) -> Iterator[tuple[str, ast.expr]]:
    """Yield each use of a distinguishing function or operator, with its first argument."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Compare) and not _with_none(node):
            if any(isinstance(op, ast.Is | ast.IsNot) for op in node.ops):
                yield ast.unparse(node), node.left
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            if node.func.id in DISTINGUISHING and node.args:
                yield ast.unparse(node), node.args[0]
        elif isinstance(node, ast.Name) and node.id == "Any":
            yield "Any", node


def _with_none(node: ast.Compare) -> bool:
    sides = [node.left, *node.comparators]
    return any(isinstance(side, ast.Constant) and side.value is None for side in sides)


def subject(argument: ast.expr) -> str:
    """The last name in the expression of an argument.

    >>> subject(ast.parse("self.query.window", mode="eval").body)
    'window'
    """
    match argument:
        case ast.Attribute(attr=name) | ast.Name(id=name):
            return name
        case ast.Call(args=[first, *_]):
            return subject(first)
        case _:
            return ast.unparse(argument)


def unexplained_uses(path: Path) -> set[str]:
    """The uses in a module whose argument has no name in `SUBJECTS`."""
    names = {use: subject(argument) for use, argument in distinguishing_uses(path)}
    return {use for use, name in names.items() if name not in SUBJECTS and use != "type(None)"}


def unexplained_uses_by_module() -> dict[str, set[str]]:
    """The unexplained uses in the algorithms, by module."""
    modules = [path for path in sorted(ALGORITHMS.rglob("*.py")) if path.name not in RELATIONS]
    uses_by_module = {str(path.relative_to(ALGORITHMS)): unexplained_uses(path) for path in modules}
    return {name: uses for name, uses in uses_by_module.items() if uses}
