"""The operator that the denotation in Coq answers for: what it sends, reads and refuses."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from muntin.cli.main import main
from muntin.registry import coq_operator
from muntin.registry.coq_operator import LARGEST, CoqOperator
from muntin.registry.lookup import operators
from muntin.registry.model_process import ModelProcess
from muntin.spec import (
    END,
    Event,
    InvalidInputError,
    Query,
    Result,
    Settings,
    Step,
    UnsupportedError,
    band,
    count,
    cumulate,
    landmark,
    named,
    rolling,
    session,
    sliding,
)
from muntin.spec.dialect import Dialect
from muntin.spec.windows.window import WindowType


class ScriptedProcess(ModelProcess):
    """A process that gives a fixed reply."""

    def __init__(self, reply: str) -> None:
        self.lines: list[str] = []
        self._reply = reply

    def send(self, lines: Sequence[str]) -> None:
        self.lines += [" ".join(line.split()[1:2] + line.split()[3:]) for line in lines]

    def reply(self, lines: Sequence[str]) -> str:
        self.send(lines)
        return self._reply


def scripted(monkeypatch: pytest.MonkeyPatch, reply: str = "|") -> ScriptedProcess:
    process = ScriptedProcess(reply)
    monkeypatch.setattr(coq_operator, "shared_process", lambda: process)
    return process


@pytest.mark.parametrize(
    ("window", "words"),
    [
        (sliding(10, 5, 1), "sliding 10 5 1"),
        (landmark(3, 10), "landmark 3 10"),
        (cumulate(6, 2, 1), "cumulate 6 2 1"),
        (band(5, 9), "band 5 9"),
        (session(3), "session 3"),
    ],
)
def test_a_window_is_sent_by_its_parameters(
    window: WindowType, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    process = scripted(monkeypatch)
    CoqOperator(Settings(2, "discard", in_order=True)).add(Query("q", window, named("sum")))
    assert process.lines[:2] == ["new 2 discard 1", f"add 0 {words}"]


def test_the_reply_names_the_events_of_each_result(monkeypatch: pytest.MonkeyPatch) -> None:
    process = scripted(monkeypatch, "0 1 0 10 2 updated 2 0;0 0 0 10 0 retracted 1|3")
    operator = CoqOperator(Settings())
    operator.add(Query("q", sliding(10, 10), named("sum")))
    events = Event(7, 1, "a"), Event(3, 2, "b", gap=4), Event(8, 4, "a"), Event(-9, 8, "a")
    output = operator.take(Step(events, END))
    assert output.results == (
        Result("q", "b", 0, 10, 5, "updated", 2),
        Result("q", "a", 0, 10, 2, "retracted", 0),
    )
    assert output.late == (events[3],)
    assert process.lines[2:] == ["step end 7 0 - 0 3 1 4 1 8 0 - 2 -9 0 - 3", "commit"]


def test_a_step_that_raises_is_not_committed(monkeypatch: pytest.MonkeyPatch) -> None:
    process = scripted(monkeypatch, "0 0 0 10 0 new 0|")
    operator = CoqOperator(Settings())
    operator.add(Query("q", sliding(10, 10), named("sum")))
    with pytest.raises(Exception, match="query 'q'"):
        operator.take(Step((Event(1, object()),)))
    assert "commit" not in process.lines
    operator.step([Event(1, 5)])
    assert process.lines[-2:] == ["step none 1 0 - 0", "commit"]


@pytest.mark.parametrize("window", [count(3), rolling(3)], ids=["count", "rolling"])
def test_other_windows_are_refused(window: WindowType, monkeypatch: pytest.MonkeyPatch) -> None:
    scripted(monkeypatch)
    with pytest.raises(UnsupportedError, match="the model in Coq"):
        CoqOperator(Settings()).add(Query("q", window, named("sum")))


def test_other_dialects_and_large_numbers_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    scripted(monkeypatch)
    other = CoqOperator(Settings(dialect=Dialect(ties="rows")))
    with pytest.raises(UnsupportedError, match="our dialect"):
        other.add(Query("q", session(3), named("sum")))
    with pytest.raises(UnsupportedError, match="our dialect"):
        other.step([])
    with pytest.raises(UnsupportedError, match="63 bits"):
        CoqOperator(Settings()).step([Event(LARGEST + 1, 0)])


def test_names_and_order_are_checked(monkeypatch: pytest.MonkeyPatch) -> None:
    scripted(monkeypatch, "not in order")
    operator = CoqOperator(Settings(in_order=True))
    operator.add(Query("q", session(3), named("sum")))
    with pytest.raises(InvalidInputError, match="already"):
        operator.add(Query("q", session(3), named("sum")))
    with pytest.raises(InvalidInputError, match="in order"):
        operator.step([Event(3, 0), Event(1, 0)])
    operator.remove("q")
    with pytest.raises(InvalidInputError, match="no query"):
        operator.remove("q")


def test_fuzz_with_coq_needs_its_model(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(coq_operator, "shared_process", lambda: ModelProcess(tmp_path / "model"))
    assert [entry.name for entry in operators("coq")] == ["coq"]
    assert "coq" not in [entry.name for entry in operators("all")]
    assert main(["fuzz", "--with", "coq", "--steps", "1"]) == 2
    assert "make lockstep" in capsys.readouterr().err
