"""Every line and branch of the slicing operators is reached by tests that are deterministic.

The fixed traces and examples below run in a process of their own, where coverage watches them:
what they reach depends neither on random tests nor on how tests are spread over workers.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
WATCHED = (
    "optimized/muntin/optimized/in_order",
    "optimized/muntin/optimized/common",
    "optimized/muntin/optimized/scotty",
)
FIXED = (
    "machines/slicing_traces.py",
    "machines/test_slices.py::test_stores_stand_for_the_sequence_of_their_slices",
    "machines/test_slices.py::test_slices_stand_for_the_events_and_begin_where_windows_do[panes]",
    "reference/test_refusals.py",
    "scotty/test_opaque_windows.py",
    "scotty/test_stored_tuples.py::test_all_deviations_from_figure_4_are_tabulated",
    "common/test_user_code_errors.py",
    "common/test_window_traits.py",
    "scotty/test_operator.py",
    "scotty/test_branches.py",
    "scotty/test_counts.py",
    "scotty/test_errors.py",
    "scotty/test_user_windows.py",
    "in_order/test_operator.py",
    "in_order/test_errors.py",
    "in_order/test_user_windows.py::test_a_step_that_fails_at_its_end_leaves_no_trace_of_its_beginning",
    "in_order/test_user_windows.py::test_an_unknown_type_is_refused_and_the_operator_goes_on",
    "in_order/test_user_windows.py::test_nonsense_of_a_machine_is_named_and_leaves_no_trace",
    "scotty/test_workload.py::test_letters_that_an_aggregate_does_not_take_refute_nothing",
    "complexity/test_scotty.py::test_sessions_never_store_tuples_and_have_one_slice_each_of_the_smallest_gap",
    "complexity/test_scotty.py::test_a_tree_without_queries_does_not_record_every_slice",
    "complexity/test_scotty.py::test_retracted_windows_do_not_wait_to_be_final",
    "complexity/test_scotty.py::test_emitted_windows_wait_to_be_final",
    "complexity/test_scotty_ordered.py::test_a_step_that_fails_elsewhere_leaves_no_trace_in_ordered_slices",
    "complexity/test_scotty_ordered.py::test_queries_share_ordered_slices_come_and_go_and_keys_are_evicted",
    "complexity/test_scotty_tuples.py::test_idle_keys_hold_no_tuple_and_are_evicted_if_nothing_is_counted",
    "complexity/test_scotty_tuples.py::test_an_event_that_a_window_cannot_take_is_refused_at_once",
    "complexity/test_slicing_edges.py::test_a_key_is_evicted_when_nothing_of_it_can_matter",
    "complexity/test_slicing_edges.py::test_a_removed_query_releases_all_that_only_it_needed",
    "complexity/test_slicing_edges.py::test_stale_timers_are_dropped",
    "errata/test_000.py",
    "errata/test_004.py::test_table_1_the_space_of_the_eager_store_is_that_of_a_power_of_two",
)


def run(data: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run coverage on this data, without the settings of the tests around."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    chosen = {"COVERAGE_FILE": str(data), "MUNTIN_PROFILE": "dev", "PYTHONHASHSEED": "0"}
    return subprocess.run(  # noqa: S603 - the arguments are those of this file
        [sys.executable, "-m", "coverage", *arguments],
        cwd=ROOT,
        env={**kept, **chosen},
        capture_output=True,
        text=True,
        check=False,
    )


def test_every_line_and_branch_of_slicing_is_reached(tmp_path: Path) -> None:
    data, report = tmp_path / "coverage", tmp_path / "report.json"
    pytest = ("pytest", "-q", "-p", "no:cacheprovider", "--hypothesis-seed=0")
    fixed = [f"tests/{name}" for name in FIXED]
    ran = run(data, "run", "--branch", f"--source={','.join(WATCHED)}", "-m", *pytest, *fixed)
    assert ran.returncode == 0, ran.stdout
    assert run(data, "json", "-o", str(report)).returncode == 0
    files = json.loads(report.read_text())["files"]
    folders = [ROOT / folder for folder in WATCHED]
    python = {str(path.relative_to(ROOT)) for folder in folders for path in folder.rglob("*.py")}
    assert set(files) == python
    missed = {
        name: (lines["missing_lines"], lines["missing_branches"]) for name, lines in files.items()
    }
    assert {name: lines for name, lines in missed.items() if lines != ([], [])} == {}, missed
    assert [name for name in python if "pragma" in (ROOT / name).read_text()] == []
