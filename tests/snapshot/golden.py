"""Snapshots that are kept: some of each format, and the forms of the present one.

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
from snapshot.runs import BUILD, LATE, QUERIES, accepted, made, run, stream

HERE = Path(__file__).parent
FORMS = HERE / "forms.json"
OLDEST = "tuple-buffer"
"""The operator of which each format has a snapshot."""
NAIVE = ("spec", "recompute", OLDEST, "tuple-buckets", "aggregate-buckets", "aggregate-tree")
SLICING = (
    *("panes", "pairs", "pairs-plus", "cutty-lazy", "cutty-eager"),
    *("scotty-lazy", "scotty-eager", "scotty-fiba"),
)
"""Of these there is one in each format since the first, with every query that they take."""
PINNED = (*NAIVE, *SLICING)
BEFORE = 9


def kept(number: int, name: str = OLDEST) -> Path:
    """Return the file of the snapshot of a format."""
    return HERE / f"format-{number}{'' if name == OLDEST else f'-{name}'}.bin"


def operator(name: str = OLDEST) -> Operator:
    """Return the operator of the kept snapshots, without any event."""
    if name in SLICING:
        return made(name)
    chosen = BUILD[name](LATE)
    accepted(chosen, QUERIES[:5])
    return chosen


def whole_stream(name: str = OLDEST) -> list[Step]:
    """Return the steps of the kept snapshots: BEFORE of them come before the snapshot."""
    return stream(operator(name), 30)


def with_dots(tree: Tree) -> Tree:
    """Return a tree of format 1 as format 0 had it."""
    held = {node.slots[0] for node in tree.nodes if node.kind == "class"}
    names = {form.name for form in tree.forms} | {dict(tree.header)["operator"]}
    names |= {name for name in held if isinstance(name, str)}
    return renamed(tree, {name: name.replace(":", ".") for name in names})


def present(name: str = OLDEST) -> bytes:
    """Return the snapshot as the present format has it."""
    one = operator(name)
    run(one, whole_stream(name)[:BEFORE])
    return snapshot(one)


def forms(name: str) -> dict[str, list[str]]:
    """Return the classes that the state of an operator is made of, and their fields."""
    one = made(name)
    run(one, stream(one, 20))
    return {form.name: list(form.fields) for form in sorted(tree_of(snapshot(one)).forms)}


def write() -> None:
    """Write what is missing."""
    old = Frame(0, "0.0.1", Writer().tree(with_dots(tree_of(present()))))
    made_now = {kept(FORMAT, name): present(name) for name in (OLDEST, *SLICING)}
    for file, content in ({kept(0): framed(old)} | made_now).items():
        if not file.exists():
            file.write_bytes(content)
    table = {"format": FORMAT, "forms": {name: forms(name) for name in PINNED}}
    FORMS.write_text(json.dumps(table, indent=1) + "\n")


if __name__ == "__main__" and sys.argv[1:] == ["--write"]:
    write()
