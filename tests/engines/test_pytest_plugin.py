"""The pytest plugin, in runs of pytest: what passes, and the text of each failure."""

import re
import shutil
from pathlib import Path

import pytest

pytest_plugins = ["pytester"]
PLUGIN = "muntin.conformance.pytest_plugin"
TOY = Path(__file__).parent / "toy_engine.py"


@pytest.fixture
def run(pytester: pytest.Pytester) -> "Runner":
    """Runs a test file beside the toy engine."""
    shutil.copy(TOY, pytester.path)
    return Runner(pytester)


class Runner:
    """Runs pytest with the plugin, in a folder of its own."""

    def __init__(self, pytester: pytest.Pytester) -> None:
        self.pytester = pytester
        pytester.makeini(
            "[pytest]\naddopts = --strict-markers\nfilterwarnings =\n    error\n"
            "    ignore:Module already imported:pytest.PytestAssertRewriteWarning\n"
        )  # the outer run has imported the plugin, if it is installed
        pytester.syspathinsert()

    def __call__(self, source: str, *words: str) -> pytest.RunResult:
        self.pytester.makepyfile(
            test_mine=f"import pytest\nfrom toy_engine import ToyEngine\n{source}"
        )
        return self.pytester.runpytest_inprocess("-p", PLUGIN, "-p", "no:xdist", "-q", *words)


RIGHT = """
@pytest.mark.windows("tumbling", "session", dialect={"lateness": "window"}, traces=60)
def test_right(muntin_verify):
    muntin_verify(ToyEngine())
"""
WRONG = """
@pytest.mark.windows("session", dialect={"lateness": "window"})
def test_late_before_it_merges(muntin_verify):
    muntin_verify(ToyEngine("late before it merges"))
"""


def test_an_engine_that_follows_the_dialect_passes(run: "Runner") -> None:
    run(RIGHT).assert_outcomes(passed=1)


def test_a_failure_is_one_small_trace_that_a_stranger_understands(run: "Runner") -> None:
    result = run(WRONG)
    result.assert_outcomes(failed=1)
    text = result.stdout.str()
    start = text.index("toy differs")
    shown = text[start : text.index("=====", start)].splitlines()
    number = re.match(r"toy differs: trace (\d+) of 200, shrunk", shown[0])
    assert number
    assert shown[1:] == [
        '  {"type": "session", "gap": 7}, lateness 0, accumulate, dialect {"lateness": "window"}',
        "",
        "  step                       specified  the engine",
        "  0     t=5 #0, watermark 7  -          -",
        "  1     t=0 #2               -          ! late #2",
        "",
        "again: pytest 'test_mine.py::test_late_before_it_merges' --muntin-seed 0",
        "the trace, with what is specified: .muntin/test_late_before_it_merges.json",
    ]
    assert "Traceback" not in text
    again = run(WRONG, "--muntin-seed", "0", "--muntin-out", "elsewhere")
    assert shown[0] in again.stdout.str()
    name = "test_late_before_it_merges.json"
    written = [run.pytester.path / folder / name for folder in (".muntin", "elsewhere")]
    assert written[0].read_text() == written[1].read_text()


def test_the_transcript_of_a_failure_is_a_test(run: "Runner") -> None:
    run(WRONG)
    result = run(
        'PATH = ".muntin/test_late_before_it_merges.json"\n'
        "def test_fault(muntin_check):\n"
        '    muntin_check(ToyEngine("late before it merges"), PATH)\n'
        "def test_right(muntin_check):\n"
        "    muntin_check(ToyEngine(), PATH)\n"
    )
    result.assert_outcomes(failed=1, passed=1)
    result.stdout.fnmatch_lines(["toy differs on .muntin/test_late_before_it_merges.json"])


def test_traces_are_counted_by_the_option_and_differ_by_the_seed(run: "Runner") -> None:
    source = """
drawn = []
class Recorder(ToyEngine):
    def start(self, trace):
        drawn.append(trace)
        super().start(trace)

@pytest.mark.windows("tumbling", dialect={"lateness": "window"})
def test_count(muntin_verify, muntin_seed):
    muntin_verify(Recorder())
    print(len(drawn), muntin_seed)
"""
    outputs = [
        run(source, "-s", "--muntin-traces", "30", "--muntin-seed", seed).stdout.str()
        for seed in ("0", "0", "1")
    ]
    lines = [re.findall(r"^(\d+) (\d+)", output, re.MULTILINE) for output in outputs]
    assert [len(line) for line in lines] == [1, 1, 1]
    (first,), (same,), (other,) = lines
    assert first == same
    assert first[1] != other[1]
    assert first[0] == str(30 + 2), "one trace in twenty is replayed twice"


def test_an_operator_and_a_process_are_engines(run: "Runner") -> None:
    folder = run.pytester.mkdir("mine")
    shutil.copy(TOY.parent / "adapters" / "tumbling.py", folder)
    (folder / "engine.toml").write_text('name = "mine"\ncommand = ["python3", "tumbling.py"]\n')
    run(
        """
from muntin.reference import SpecificationOperator

@pytest.mark.windows("count", traces=9)
def test_operator(muntin_verify):
    muntin_verify(SpecificationOperator)

@pytest.mark.windows(traces=9)
def test_process(muntin_verify):
    muntin_verify("mine")

def test_no_mark(muntin_verify):
    muntin_verify("mine")
"""
    ).assert_outcomes(passed=3)


@pytest.mark.parametrize(
    ("mark", "engine", "message"),
    [
        ("'hopping'", "ToyEngine()", "toy has no 'hopping' windows; it has tumbling"),
        ("traces=0", "ToyEngine()", "the mark windows.traces must be at least 1, not 0"),
        ("size=3", "ToyEngine()", 'the mark windows: there is no field "size"'),
        ("dialect={'ties': 'no'}", "ToyEngine()", "ties must be one of peers, rows"),
        ("", "3", "3 is no engine: give a StepAdapter"),
        ("", "'nowhere'", "the engine in nowhere cannot be read"),
    ],
)
def test_a_mark_or_an_engine_that_is_wrong_is_an_error(
    run: "Runner", mark: str, engine: str, message: str
) -> None:
    result = run(
        f"@pytest.mark.windows({mark})\n"
        f"def test_wrong(muntin_verify):\n    muntin_verify({engine})\n"
    )
    assert message in result.stdout.str()
    assert result.ret == 1


def test_an_engine_without_support_fails(run: "Runner") -> None:
    source = """
from muntin.wire import UnsupportedTraceError

class Empty(ToyEngine):
    def start(self, trace):
        raise UnsupportedTraceError("it has no windows")

def test_empty(muntin_verify):
    muntin_verify(Empty())
"""
    result = run(source)
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["toy supports none of the traces: it has no windows"])


def test_nothing_of_the_kit_is_imported_before_a_test_needs_it(run: "Runner") -> None:
    source = """
import sys
def test_light(request):
    names = [name for name in sys.modules if name.startswith("muntin.")]
    assert set(names) <= {"muntin.conformance", "muntin.conformance.pytest_plugin"}, names
"""
    run.pytester.makepyfile(test_light=source)
    run.pytester.runpytest_subprocess("-p", PLUGIN, "-q").assert_outcomes(passed=1)
