"""What an opaque value cannot notice: tests of identity and of class, in the algorithms.

`is`, `isinstance`, `type`, `id` and the like work on any value, and tell one from another. Where an
algorithm uses one, it must be on something that is no aggregated value: a node, a window type, an
event. What each is used on is told by its name (`SUBJECTS`); whatever else there is has to be
among the `EXCEPTIONS`, each with its reason. Relations may compare: they are no part of the
algorithm.
"""

import ast
from collections.abc import Iterator
from pathlib import Path

from evidence.checks import ROOT

ALGORITHMS = ROOT / "optimized" / "muntin" / "optimized"
RELATIONS = ("invariants.py",)
TELLING = frozenset(
    (
        *("isinstance", "issubclass", "type", "id", "hash", "getattr", "setattr", "hasattr"),
        *("vars", "cast", "eval", "exec", "callable", "repr", "print", "dir"),
    )
)

SUBJECTS = {
    "node": "a node of a tree",
    "_root": "a node of a tree",
    "_right": "a node of a tree",
    "top": "a node of a tree",
    "one": "a node of a tree, or an aggregate function",
    "other": "a node of a tree, or an aggregate function",
    "whole": "a part of an aggregate function",
    "kind": "a window type",
    "window": "a window type",
    "holds": "a method of a window type",
    "measure": "a measure",
    "closing": "a decision of a dialect",
    "manager": "the window manager of a query and a key",
    "cause": "an exception",
    "accepted": "an event and its number",
    "identity": "of a monoid, to tell whether two queries have the same",
}

EXCEPTIONS = {
    "isinstance(value, bool)": "frames look at the values of events, by definition; at no partial",
    "isinstance(value, Number | None)": "the same",
    "self.restless.pop(name, self) is self": "the agenda, a mark for an unknown name",
    "stored_slice.partial is not partial": "a partial that is the same object has not changed, and "
    "is not marked in the store; one that is another object is marked, whatever it is",
    "type(partial)": "a slice begins with it: the first of each type is tried on the identity, so "
    "that what cannot be combined is refused with its event; no answer depends on it",
    "id(monoid.combine)": "a function of the user's, to remember what it was tried on",
    **dict.fromkeys(
        ("type(total)", "type(known)", "type(total) is type(known)", "type(total) is type(one)"),
        "what a combine gives is of the type of what it took, or is tried as above",
    ),
    "total is NotImplemented": "what Python's own operators return for what they do not take",
    "total is not NotImplemented": "the same",
    "isinstance(query, Query)": "what is asked, which is no value",
    "hash(self._function_ids())": "the functions that make an aggregate, to check its claims once",
    "repr(self.letters)": "the same; letters are the checker's, of no stream",
    "letters is LETTERS": "the same",
    "id(aggregate)": "whether an aggregate is one of the catalogue, whose claims need no check",
}


def used(path: Path) -> Iterator[tuple[str, ast.expr]]:
    """Yield each place of a module where one thing is told from another, and that thing."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Compare) and not _with_none(node):
            if any(isinstance(op, ast.Is | ast.IsNot) for op in node.ops):
                yield ast.unparse(node), node.left
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            if node.func.id in TELLING and node.args:
                yield ast.unparse(node), node.args[0]
        elif isinstance(node, ast.Name) and node.id == "Any":
            yield "Any", node


def _with_none(node: ast.Compare) -> bool:
    sides = [node.left, *node.comparators]
    return any(isinstance(side, ast.Constant) and side.value is None for side in sides)


def subject(thing: ast.expr) -> str:
    """Return the last name of what is looked at.

    >>> subject(ast.parse("self.query.window", mode="eval").body)
    'window'
    """
    match thing:
        case ast.Attribute(attr=name) | ast.Name(id=name):
            return name
        case ast.Call(args=[first, *_]):
            return subject(first)
        case _:
            return ast.unparse(thing)


def suspicious(path: Path) -> set[str]:
    """Return what a module uses on something that has no name we know."""
    found = {use: subject(thing) for use, thing in used(path)}
    return {use for use, name in found.items() if name not in SUBJECTS and use != "type(None)"}


def places() -> dict[str, set[str]]:
    """Return what is suspicious in the algorithms, by module."""
    modules = [path for path in sorted(ALGORITHMS.rglob("*.py")) if path.name not in RELATIONS]
    known = {str(path.relative_to(ALGORITHMS)): suspicious(path) for path in modules}
    return {name: uses for name, uses in known.items() if uses}
