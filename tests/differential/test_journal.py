"""Journals: entries of a run, and files that are no journal."""

import json
from pathlib import Path

import pytest

from muntin.differential.journal import Journal
from muntin.differential.tally import Tally
from muntin.spec.errors import InvalidInputError, MuntinError

RUN = "DiffPlan(windows='tumbling:60:sum') of a run"


def tally(rows: int) -> Tally:
    part = Tally(seconds={"spec": 0.5}, refused={"q": 'why \\ "not"'})
    part.counter().update(rows=rows)
    part.add_wrong({"name": "n", "key": "k\u00e9", "what": "w", "transcript": "{}"})
    return part


def two_entries(path: Path) -> bytes:
    """Write a journal of two chunks."""
    journal = Journal(path, RUN)
    for chunk in (0, 1):
        journal.append(chunk, tally(chunk + 5))
    return path.read_bytes()


def test_entries_belong_to_their_run_only(tmp_path: Path) -> None:
    path = tmp_path / "new" / "journal.jsonl"
    two_entries(path)
    again = Journal(path, RUN)
    assert [again.tally_of(0), again.tally_of(1), again.tally_of(2)] == [tally(5), tally(6), None]
    assert Journal(path, RUN + "!").tally_of(0) is None


def test_a_truncated_last_line_is_cut_off(tmp_path: Path) -> None:
    path = tmp_path / "journal.jsonl"
    text = two_entries(path)
    first = text.index(b"\n") + 1
    for cut in range(first, len(text)):
        path.write_bytes(text[:cut])
        journal = Journal(path, RUN)
        assert path.read_bytes() == text[:first]
        assert (journal.tally_of(0), journal.tally_of(1)) == (tally(5), None)
    path.write_bytes(text[:9])
    assert Journal(path, RUN).tally_of(0) is None
    assert path.read_bytes() == b""


TALLY = '{"counts": {}, "seconds": {}, "refused": {}, "wrong": %s}'


@pytest.mark.parametrize(
    "content",
    [
        b"name,age\nann,7",
        b"my diary",
        b'{"run": "marathon"}',
        b'{"run": "marathon", "chunk": "x"',
        b"\x00\x00\x00",
        b"\n",
        b"PAR1\xff\xfe\x80\n\xff",
        b"{}\n",
        b"no\n",
        b"[]\n",
        *(
            json.dumps({"run": RUN, "chunk": 0, "tally": text}).encode() + b"\n"
            for text in (
                5,
                "5",
                "[]",
                "{}",
                "no",
                TALLY % "5",
                TALLY % "[{}]",
                TALLY % '[{"a": "b"}]',
            )
        ),
        json.dumps({"run": RUN, "chunk": "0", "tally": TALLY % "[]"}).encode() + b"\n",
    ],
)
def test_other_files_than_journals_are_refused_and_left_unchanged(
    tmp_path: Path, content: bytes
) -> None:
    path = tmp_path / "mine"
    path.write_bytes(content)
    with pytest.raises(InvalidInputError, match="is no journal of muntin diff, and is left as it"):
        Journal(path, RUN)
    assert path.read_bytes() == content


def test_a_journal_with_an_unknown_last_line_is_left_unchanged(tmp_path: Path) -> None:
    path = tmp_path / "mine"
    content = two_entries(path) + b"and a remark"
    path.write_bytes(content)
    with pytest.raises(InvalidInputError, match="its last line"):
        Journal(path, RUN)
    assert path.read_bytes() == content


def test_a_journal_that_cannot_be_written_is_refused_at_the_start(
    tmp_path: Path,
) -> None:
    file = tmp_path / "file"
    file.write_text("")
    with pytest.raises(InvalidInputError, match="file/journal can't be written"):
        Journal(file / "journal", RUN)


def test_a_journal_on_a_full_disk_names_the_chunk(tmp_path: Path) -> None:
    path = tmp_path / "journal"
    journal = Journal(path, RUN)
    path.unlink()
    path.symlink_to("/dev/full")
    with pytest.raises(MuntinError, match="chunk 3 can't be written to"):
        journal.append(3, Tally())
