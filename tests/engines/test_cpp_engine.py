"""An engine in C++ without a JSON library: built with the compiler of the machine, if it has one.

A fault in its source is found, so the steps form of the wire hides nothing.
"""

import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from muntin.conformance.engines.engine_folder import read_folder
from muntin.conformance.engines.process_engine import ProcessEngine
from muntin.conformance.engines.verification import Verification, VerificationPlan, verify

FOLDER = Path(__file__).parents[2] / "engines" / "cpp-tumbling"
SOURCE = (FOLDER / "adapter.cpp").read_text()
COMPILER = next((found for name in ("c++", "g++", "clang++") if (found := shutil.which(name))), "")
FAULTS = {
    "an event at the limit is late": ("lateness <= watermark) {", "lateness < watermark) {"),
    "negative times are truncated": ("t - ((t % by) + by) % by", "t - t % by"),
    "late updates are lost": ("if (window.first <= watermark) emit(window, state);\n    }", "}"),
    "the offset is ignored": ("floored(time - offset, size) + offset", "floored(time, size)"),
    "events are not sorted": ("return a.time < b.time;", "return a.time * 0 > b.time * 0;"),
    "an update is new": ('(state.emitted ? "updated" : "new")', '"new"'),
}


def verification(folder: Path, source: str) -> Verification:
    """The outcome of 300 traces on an engine that is compiled in a folder."""
    (folder / "adapter.cpp").write_text(source)
    build = [COMPILER, "-std=c++17", "-o", "adapter", "adapter.cpp"]
    subprocess.run(build, cwd=folder, check=True, capture_output=True)  # noqa: S603 - our own words
    engine = read_folder(FOLDER)
    with ProcessEngine(replace(engine.command, folder=folder)) as running:
        return verify(running, VerificationPlan((), 1, 300, engine.rules.dialect, stops=True))


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_can_be_planted(fault: str) -> None:
    assert SOURCE.count(FAULTS[fault][0]) == 1


def test_it_needs_no_library_but_the_standard_one() -> None:
    includes = [line for line in SOURCE.splitlines() if line.startswith("#include")]
    assert includes
    assert all("<" in line and "/" not in line and ".h" not in line for line in includes)


if COMPILER:

    def test_every_trace_is_explained(tmp_path: Path) -> None:
        outcome = verification(tmp_path, SOURCE)
        assert outcome.failure is None
        assert outcome.explained == {"tumbling": 300}

    @pytest.mark.parametrize("fault", FAULTS)
    def test_a_planted_fault_is_found(fault: str, tmp_path: Path) -> None:
        failure = verification(tmp_path, SOURCE.replace(*FAULTS[fault])).failure
        assert failure
        assert failure.kind == "mismatch"
        assert sum(len(turn.step.events) for turn in failure.trace.turns) <= 3
