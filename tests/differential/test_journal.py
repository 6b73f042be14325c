"""Journals: what is noted of a run, and what is no journal."""

import json
from pathlib import Path

import pytest

from muntin.differential.journal import Journal
from muntin.differential.tally import Tally
from muntin.spec.errors import InvalidInputError, MuntinError

RUN = "Plan(windows='tumbling:60:sum') of a run"


def tally(rows: int) -> Tally:
    found = Tally(seconds={"spec": 0.5}, refused={"q": 'why \\ "not"'})
    found.of().update(rows=rows)
    found.blame({"name": "n", "key": "k\u00e9", "what": "w", "transcript": "{}"})
    return found


def noted(path: Path) -> bytes:
    """Return a journal of two chunks."""
    journal = Journal(path, RUN)
    for chunk in (0, 1):
        journal.note(chunk, tally(chunk + 5))
    return path.read_bytes()


def test_what_was_noted_is_known_to_the_same_run_and_no_other(tmp_path: Path) -> None:
    path = tmp_path / "new" / "journal.jsonl"
    noted(path)
    again = Journal(path, RUN)
    assert [again.known(0), again.known(1), again.known(2)] == [tally(5), tally(6), None]
    assert Journal(path, RUN + "!").known(0) is None


def test_a_line_that_was_cut_short_anywhere_is_what_was_not_finished(tmp_path: Path) -> None:
    path = tmp_path / "journal.jsonl"
    text = noted(path)
    first = text.index(b"\n") + 1
    for cut in range(first, len(text)):
        path.write_bytes(text[:cut])
        journal = Journal(path, RUN)
        assert path.read_bytes() == text[:first]
        assert (journal.known(0), journal.known(1)) == (tally(5), None)
    path.write_bytes(text[:9])
    assert Journal(path, RUN).known(0) is None
    assert path.read_bytes() == b""


TOLD = '{"counts": {}, "seconds": {}, "refused": {}, "wrong": %s}'


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
            json.dumps({"run": RUN, "chunk": 0, "tally": told}).encode() + b"\n"
            for told in (5, "5", "[]", "{}", "no", TOLD % "5", TOLD % "[{}]", TOLD % '[{"a": "b"}]')
        ),
        json.dumps({"run": RUN, "chunk": "0", "tally": TOLD % "[]"}).encode() + b"\n",
    ],
)
def test_what_is_no_journal_is_refused_and_left_as_it_is(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "mine"
    path.write_bytes(content)
    with pytest.raises(InvalidInputError, match="is no journal of muntin diff, and is left as it"):
        Journal(path, RUN)
    assert path.read_bytes() == content


def test_what_is_no_journal_is_left_as_it_is_behind_lines_of_ours_too(tmp_path: Path) -> None:
    path = tmp_path / "mine"
    content = noted(path) + b"and a remark"
    path.write_bytes(content)
    with pytest.raises(InvalidInputError, match="its last line"):
        Journal(path, RUN)
    assert path.read_bytes() == content


def test_a_journal_that_cannot_be_written_is_refused_before_anything_is_judged(
    tmp_path: Path,
) -> None:
    file = tmp_path / "file"
    file.write_text("")
    with pytest.raises(InvalidInputError, match="file/journal can't be written"):
        Journal(file / "journal", RUN)


def test_a_journal_on_a_full_disk_says_which_chunk_is_not_noted(tmp_path: Path) -> None:
    path = tmp_path / "journal"
    journal = Journal(path, RUN)
    path.unlink()
    path.symlink_to("/dev/full")
    with pytest.raises(MuntinError, match="chunk 3 can't be noted"):
        journal.note(3, Tally())
