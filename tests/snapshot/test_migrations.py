"""A snapshot of an older format restores in a newer one."""

import json
from dataclasses import replace

import pytest

from muntin.snapshot import SnapshotError, restore, snapshot
from muntin.snapshot.frame import FORMAT, Frame, framed, unframed
from muntin.snapshot.migrations import MIGRATIONS, Migration, migrated, renamed
from muntin.snapshot.operator import restore_tree, tree_of
from muntin.snapshot.show import shown
from muntin.snapshot.tree import Node, Tree
from snapshot.golden import (
    BEFORE,
    FORMS,
    OLDEST,
    PINNED,
    SLICING,
    forms,
    kept,
    operator,
    present,
    whole_stream,
)
from snapshot.runs import run

FORMATS = range(FORMAT + 1)
KEPT = [(0, OLDEST), *((number, name) for number in FORMATS[1:] for name in (OLDEST, *SLICING))]


@pytest.mark.parametrize(("number", "name"), KEPT)
def test_a_kept_snapshot_restores_and_goes_on_alike(number: int, name: str) -> None:
    data = kept(number, name).read_bytes()
    assert unframed(data).format == number
    new, through = operator(name), operator(name)
    before, after = whole_stream(name)[:BEFORE], whole_stream(name)[BEFORE:]
    run(through, before)
    restore(new, data)
    said = run(new, after)
    assert said == run(through, after)
    assert sum(len(output.results) for output in said) > 5


def test_the_kept_snapshots_are_small() -> None:
    assert [number for number in FORMATS if kept(number).stat().st_size > 1500] == []


def test_the_kept_snapshots_differ_by_more_than_a_number() -> None:
    old, new = (unframed(kept(number).read_bytes()) for number in (0, 1))
    assert old.body != new.body
    with pytest.raises(SnapshotError, match="this snapshot is of another operator; operator: mun"):
        restore(operator(), framed(Frame(1, old.muntin, old.body)))


def test_an_old_snapshot_can_be_shown() -> None:
    first, second, third, *_ = shown(kept(0).read_bytes())
    assert first == "snapshot of format 0, by muntin 0.0.1"
    assert second.endswith(" objects")
    assert third == "operator: muntin.reference.naive:Naive"


def test_the_present_format_is_the_one_that_is_kept() -> None:
    """If it is not, older snapshots are lost: raise FORMAT, add a migration, keep a new one."""
    assert tree_of(present()) == tree_of(kept(FORMAT).read_bytes())


@pytest.mark.parametrize("name", PINNED)
def test_the_forms_of_states_are_those_of_this_format(name: str) -> None:
    """If they are not: raise FORMAT, add a migration, and let snapshot.golden write."""
    table = json.loads(FORMS.read_text())
    assert table["format"] == FORMAT
    assert table["forms"][name] == forms(name)


CLASSES = {"muntin.reference.naive:Reported": "muntin.reference.naive:Said"}
FIELDS = {"muntin.reference.naive:Said": {"edition": "revision"}}


def of_before(tree: Tree) -> Tree:
    """Return a tree as it would be if a class and one of its fields had had another name."""
    back = {new: old for old, new in CLASSES.items()}
    return renamed(tree, back, {old: {"revision": "edition"} for old in CLASSES})


def of_now(tree: Tree) -> Tree:
    """Migrate it."""
    return renamed(tree, CLASSES, FIELDS)


def test_a_class_and_a_field_can_be_renamed() -> None:
    through, new = operator(), operator()
    run(through, whole_stream()[:BEFORE])
    old = of_before(tree_of(snapshot(through)))
    assert "edition" in {field for form in old.forms for field in form.fields}
    with pytest.raises(SnapshotError, match="naive:Reported', which is none that a state may"):
        restore_tree(new, old)
    with pytest.raises(SnapshotError, match=r"fields revision, seen, value here, but edition, se"):
        restore_tree(new, renamed(old, CLASSES))
    restore_tree(new, migrated(old, FORMAT, FORMAT + 1, {**MIGRATIONS, FORMAT: of_now}))
    assert run(new, whole_stream()[BEFORE:]) == run(through, whole_stream()[BEFORE:])


def test_migrations_are_taken_one_after_the_other() -> None:
    def noting(word: str) -> Migration:
        return lambda tree: replace(tree, header=(*tree.header, (word, "")))

    steps = {n: noting(f"to {n + 1}") for n in range(3)}
    tree = Tree((), (), ())
    assert [word for word, _ in migrated(tree, 0, 3, steps).header] == ["to 1", "to 2", "to 3"]
    assert [word for word, _ in migrated(tree, 2, 3, steps).header] == ["to 3"]
    assert migrated(tree, 3, 3, steps) is tree


def test_a_missing_migration_is_said() -> None:
    with pytest.raises(SnapshotError, match="no migration leads from format 1 to 2"):
        migrated(Tree((), (), ()), 0, 2, {0: lambda tree: tree})


def test_there_is_a_migration_from_every_older_format() -> None:
    assert sorted(MIGRATIONS) == list(range(FORMAT))


def test_a_renaming_reaches_what_refers_to_a_class() -> None:
    nodes = (
        Node("class", ("a:Old",)),
        Node("constant", ("a:Old", "RED")),
        Node("list", ("a:Old",)),
    )
    renewed = renamed(Tree((("operator", "a:Old"),), (), nodes), {"a:Old": "b:New"})
    assert renewed.header == (("operator", "b:New"),)
    assert [node.slots[0] for node in renewed.nodes] == ["b:New", "b:New", "a:Old"]
