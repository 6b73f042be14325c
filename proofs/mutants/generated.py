"""Generates small faults: one for each place of a module where a token could easily be another one.

Left alone are annotations, docstrings and messages, counters (`_meter`), and functions that
describe the code and change nothing (`invariants`, `bound`, `picture`, `explain`).
"""

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeVar

Kinds = tuple[type[ast.AST], type[ast.AST]]

PAIRS: list[Kinds] = [
    *((ast.Lt, ast.LtE), (ast.Gt, ast.GtE), (ast.Eq, ast.NotEq), (ast.Is, ast.IsNot)),
    *((ast.In, ast.NotIn), (ast.And, ast.Or), (ast.BitAnd, ast.BitOr)),
    *((ast.Add, ast.Sub), (ast.FloorDiv, ast.Mult)),
]
OPERATORS: dict[type[ast.AST], type[ast.AST]] = {
    ast.Mod: ast.FloorDiv,
    **dict(PAIRS),
    **{right: left for left, right in PAIRS},
}
WORDS = [("min", "max"), ("any", "all"), ("bisect_left", "bisect_right"), ("append", "appendleft")]
NAMES = {"popleft": "pop", **dict(WORDS), **{right: left for left, right in WORDS}}
DESCRIPTIVE_FUNCTIONS = (
    "invariants",
    "bound",
    "picture",
    "_kind",
    "explain",
    "__repr__",
    "__str__",
)
NOT_EXCHANGED = (
    "isinstance",
    "issubclass",
    "getattr",
    "hasattr",
    "min",
    "max",
    "zip",
    "map",
    "range",
)
"""Functions whose two arguments are not exchanged: unlikely by mistake, or without effect."""


@dataclass(frozen=True)
class GeneratedFault:
    """The source with another text in one place, and the line without and with it."""

    line: int
    old: str
    new: str
    source: str


def faults(source: str) -> Iterator[GeneratedFault]:
    r"""Yield the faults, in the order of the source.

    >>> [fault.new for fault in faults("def f(a):\n    return a < 1")]
    ['return (a <= 1)', 'return a < (2)']
    """
    text = source.encode()
    starts = [0]
    for line in text.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    for node, new in _changes(ast.parse(source)):
        begin = starts[node.lineno - 1] + node.col_offset
        end = starts[(node.end_lineno or node.lineno) - 1] + (node.end_col_offset or 0)
        changed = (text[:begin] + new.encode() + text[end:]).decode()
        lines = source.splitlines()[node.lineno - 1], changed.splitlines()[node.lineno - 1]
        yield GeneratedFault(node.lineno, lines[0].strip(), lines[1].strip(), changed)


K = TypeVar("K", ast.operator, ast.cmpop, ast.boolop)
Place = ast.expr | ast.stmt
NEGATABLE_OTHERWISE = (ast.Compare, ast.BoolOp, ast.UnaryOp, ast.NamedExpr)


def _changes(node: ast.AST) -> Iterator[tuple[Place, str]]:
    """Yield each place in a tree that can be changed, with its new text."""
    if isinstance(node, ast.stmt):
        for new in _statements(node):
            yield node, new
    elif isinstance(node, ast.expr):
        for changed in _expressions(node):
            yield node, f"({ast.unparse(changed)})"
    if isinstance(node, ast.If | ast.While | ast.IfExp) and not isinstance(
        node.test, NEGATABLE_OTHERWISE
    ):
        yield node.test, f"(not {ast.unparse(node.test)})"
    for child in _inside(node):
        yield from _changes(child)


def _inside(node: ast.AST) -> Iterator[ast.AST]:
    """Yield the parts of a node that are executed."""
    if _is_descriptive(node):
        return
    skipped: list[ast.AST | None] = [
        getattr(node, name, None) for name in ("annotation", "returns")
    ]
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        skipped += node.decorator_list
    if isinstance(node, ast.ClassDef):
        skipped += [*node.bases, *node.keywords]
    if isinstance(node, ast.Call):
        skipped += [
            keyword for keyword in node.keywords if keyword.arg == "strict"
        ]  # of zip: it only asserts
    yield from (part for part in ast.iter_child_nodes(node) if part not in skipped)


def _is_descriptive(node: ast.AST) -> bool:
    if isinstance(node, ast.FunctionDef):
        return node.name in DESCRIPTIVE_FUNCTIONS
    if isinstance(node, ast.Expr):
        return isinstance(node.value, ast.Constant)
    if isinstance(node, ast.Assign | ast.AugAssign | ast.AnnAssign):
        return "_meter" in ast.unparse(node)
    return isinstance(node, ast.Raise | ast.Assert | ast.Import | ast.ImportFrom | ast.JoinedStr)


def _statements(node: ast.stmt) -> Iterator[str]:
    """Yield replacements of a statement: nothing, or the opposite."""
    if _is_descriptive(node):
        return
    if isinstance(node, ast.AugAssign) and type(node.op) in OPERATORS:
        changed = ast.AugAssign(node.target, _other(node.op, ast.operator), node.value)
        yield ast.unparse(changed)
    target = node.targets[0] if isinstance(node, ast.Assign) else getattr(node, "target", None)
    is_kept = isinstance(node, ast.Assign | ast.AugAssign) and isinstance(
        target, ast.Attribute | ast.Subscript
    )
    if is_kept or isinstance(node, ast.Delete) or _is_call(node):
        yield "pass"
    if isinstance(node, ast.Break):
        yield "continue"


def _is_call(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Call)


def _expressions(node: ast.expr) -> Iterator[ast.expr]:
    """Yield replacements of an expression: another operator, constant, name or argument order."""
    if isinstance(node, ast.Compare) and type(node.ops[0]) in OPERATORS:
        others = [_other(node.ops[0], ast.cmpop), *node.ops[1:]]
        yield ast.Compare(node.left, others, node.comparators)
    elif isinstance(node, ast.BoolOp):
        yield ast.BoolOp(_other(node.op, ast.boolop), node.values)
    elif isinstance(node, ast.BinOp) and type(node.op) in OPERATORS:
        yield ast.BinOp(node.left, _other(node.op, ast.operator), node.right)
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        yield node.operand
    elif isinstance(node, ast.IfExp):
        yield ast.IfExp(node.test, node.orelse, node.body)
    elif isinstance(node, ast.Constant) and isinstance(node.value, int):
        yield ast.Constant(not node.value if isinstance(node.value, bool) else node.value + 1)
    elif isinstance(node, ast.Call):
        yield from _calls(node)


def _calls(node: ast.Call) -> Iterator[ast.expr]:
    name = node.func.attr if isinstance(node.func, ast.Attribute) else ast.unparse(node.func)
    if name in NAMES and isinstance(node.func, ast.Attribute):
        yield ast.Call(ast.Attribute(node.func.value, NAMES[name]), node.args, node.keywords)
    elif name in NAMES:
        yield ast.Call(ast.Name(NAMES[name]), node.args, node.keywords)
    has_starred = any(isinstance(argument, ast.Starred) for argument in node.args)
    if len(node.args) == 2 and not has_starred and name not in NOT_EXCHANGED:
        yield ast.Call(node.func, node.args[::-1], node.keywords)


def _other(operator: ast.AST, kind: type[K]) -> K:
    other = OPERATORS[type(operator)]()
    assert isinstance(other, kind)
    return other
