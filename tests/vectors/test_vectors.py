"""Every hand-written transcript, on every implementation: a full match, or an honest refusal."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from muntin.cli.commands.replay import explanations
from muntin.cli.commands.replay_run import ReplayRun, runs
from muntin.conformance.transcript.model import OperatorTranscript, Transcript, parse
from muntin.registry.implementations import OPERATORS, STRUCTURES

HERE = Path(__file__).parent
TRANSCRIPTS = {
    str(path.relative_to(HERE)): parse(path.read_bytes()) for path in sorted(HERE.rglob("*.json"))
}
OF_OPERATORS = {n: t for n, t in TRANSCRIPTS.items() if isinstance(t, OperatorTranscript)}
OF_STRUCTURES = {n: t for n, t in TRANSCRIPTS.items() if n not in OF_OPERATORS}


def replayed(transcript: Transcript, name: str) -> ReplayRun:
    (run,) = runs(transcript, name, lambda: None)
    return run


def wrong(transcript: Transcript, run: ReplayRun) -> list[str]:
    if run.outcome == "error":
        return [run.why]
    differences = explanations(run, transcript) if run.outcome == "done" else []
    return [line for lines in differences for line in lines]


@pytest.mark.parametrize("name", [entry.name for entry in OPERATORS])
@pytest.mark.parametrize("file", OF_OPERATORS)
def test_an_operator_matches_or_refuses(file: str, name: str) -> None:
    run = replayed(OF_OPERATORS[file], name)
    assert wrong(OF_OPERATORS[file], run) == []
    assert run.outcome == "done" or name not in ("spec", "recompute"), run.why


@pytest.mark.parametrize("name", [entry.name for entry in STRUCTURES])
@pytest.mark.parametrize("file", OF_STRUCTURES)
def test_a_structure_matches_or_refuses(file: str, name: str) -> None:
    run = replayed(OF_STRUCTURES[file], name)
    assert wrong(OF_STRUCTURES[file], run) == []
    assert run.outcome == "done" or name not in ("spec", "recompute"), run.why


@pytest.mark.parametrize("name", [entry.name for entry in OPERATORS])
def test_every_operator_supports_something(name: str) -> None:
    assert supported(list(OF_OPERATORS.values()), name)


@pytest.mark.parametrize("name", [entry.name for entry in STRUCTURES])
def test_every_structure_supports_something(name: str) -> None:
    assert supported(list(OF_STRUCTURES.values()), name)


def supported(transcripts: Sequence[Transcript], name: str) -> bool:
    return any(replayed(one, name).outcome == "done" for one in transcripts)


@pytest.mark.parametrize("file", TRANSCRIPTS)
def test_a_vector_expects_something(file: str) -> None:
    expected = TRANSCRIPTS[file].expected
    assert expected.rows is not None or expected.late is not None
