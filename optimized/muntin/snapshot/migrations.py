"""From the forms of older snapshots to the present one, a version at a time.

A migration takes a tree and returns one: it renames classes and fields in the table of forms, or
rewrites nodes. Whoever changes what a state is made of raises `FORMAT` and adds one here; the
test of the forms in tests/snapshot says when.
"""

from collections.abc import Callable, Mapping

from muntin.snapshot.errors import SnapshotError
from muntin.snapshot.frame import FORMAT
from muntin.snapshot.tree import Form, Node, Tree

Migration = Callable[[Tree], Tree]
NAMING = ("class", "constant")
"""Nodes of which the first slot names a class (or, of a constant, perhaps a module)."""

Renaming = Mapping[str, str]
"""New names by old ones."""


def renamed(tree: Tree, classes: Renaming, fields: Mapping[str, Renaming] | None = None) -> Tree:
    """Return the tree with other names for classes, and for the fields of (renamed) classes."""

    def form(old: Form) -> Form:
        name = classes.get(old.name, old.name)
        names = (fields or {}).get(name, {})
        return Form(name, tuple(names.get(field, field) for field in old.fields))

    def node(old: Node) -> Node:
        name = old.slots[0] if old.kind in NAMING else None
        new = classes.get(name) if isinstance(name, str) else None
        return old if new is None else old._replace(slots=(new, *old.slots[1:]))

    header = tuple((what, classes.get(text, text)) for what, text in tree.header)
    return Tree(header, tuple(map(form, tree.forms)), tuple(map(node, tree.nodes)))


def with_colons(tree: Tree) -> Tree:
    """From format 0, which was never released: it has a dot before the name of a class."""

    def named(name: str) -> str:
        return ":".join(name.rsplit(".", 1))

    held = {node.slots[0] for node in tree.nodes if node.kind == "class"}
    names = {form.name for form in tree.forms} | {dict(tree.header)["operator"]}
    names |= {name for name in held if isinstance(name, str) and name.startswith("muntin.")}
    return renamed(tree, {name: named(name) for name in names})


MIGRATIONS: Mapping[int, Migration] = {0: with_colons}
"""From each older format to the next."""


def migrated(
    tree: Tree,
    made_by: int,
    newest: int = FORMAT,
    migrations: Mapping[int, Migration] = MIGRATIONS,
) -> Tree:
    """Return a tree in the present form."""
    for version in range(made_by, newest):
        if version not in migrations:
            raise SnapshotError(f"no migration leads from format {version} to {version + 1}")
        tree = migrations[version](tree)
    return tree
