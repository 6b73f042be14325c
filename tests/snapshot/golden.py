"""Snapshots that are kept: one of each format, and the forms of the present one.

`PYTHONPATH=tests .venv/bin/python -m snapshot.golden --write` makes what is missing: run it when
FORMAT has been raised, and when a pinned operator is added.
It never writes a snapshot that is there already, for that is what older users have on disk.
"""

import json
import sys
from pathlib import Path

from muntin.snapshot.frame import FORMAT, Frame, framed
from muntin.snapshot.migrations import renamed
from muntin.snapshot.operator import snapshot, tree_of
from muntin.snapshot.tree import Tree
from muntin.snapshot.wire import Writer
from muntin.spec.operator import Operator
from muntin.spec.stream import Step
from snapshot.runs import BUILD, LATE, QUERIES, accepted, made, run, steps, stream

HERE = Path(__file__).parent
FORMS = HERE / "forms.json"
PINNED = ("spec", "recompute", "tuple-buffer", "tuple-buckets", "aggregate-buckets")
BEFORE = 9


def kept(number: int) -> Path:
    """Return the file of the snapshot of a format."""
    return HERE / f"format-{number}.bin"


def operator() -> Operator:
    """Return the operator of the kept snapshots, without any event."""
    chosen = BUILD["tuple-buffer"](LATE)
    accepted(chosen, QUERIES[:5])
    return chosen


def whole_stream() -> list[Step]:
    """Return the steps of the kept snapshots: BEFORE of them come before the snapshot."""
    return steps(30)


def with_dots(tree: Tree) -> Tree:
    """Return a tree of format 1 as format 0 had it."""
    held = {node.slots[0] for node in tree.nodes if node.kind == "class"}
    names = {form.name for form in tree.forms} | {dict(tree.header)["operator"]}
    names |= {name for name in held if isinstance(name, str)}
    return renamed(tree, {name: name.replace(":", ".") for name in names})


def present() -> bytes:
    """Return the snapshot as the present format has it."""
    one = operator()
    run(one, whole_stream()[:BEFORE])
    return snapshot(one)


def forms(name: str) -> dict[str, list[str]]:
    """Return the classes that the state of an operator is made of, and their fields."""
    one = made(name)
    run(one, stream(one, 20))
    return {form.name: list(form.fields) for form in sorted(tree_of(snapshot(one)).forms)}


def write() -> None:
    """Write what is missing."""
    data = present()
    old = Frame(0, "0.0.1", Writer().tree(with_dots(tree_of(data))))
    for number, content in ((0, framed(old)), (FORMAT, data)):
        if not kept(number).exists():
            kept(number).write_bytes(content)
    table = {"format": FORMAT, "forms": {name: forms(name) for name in PINNED}}
    FORMS.write_text(json.dumps(table, indent=1) + "\n")


if __name__ == "__main__" and sys.argv[1:] == ["--write"]:
    write()
