"""Window types are known to the specification and to one table; else only to their algorithms.

A new type needs no algorithm of its own: it is served row by row, or refused by its name.
"""

import ast
from pathlib import Path

from muntin.optimized.common.window_traits import TABLE
from muntin.spec.windows.data_driven import Session
from muntin.spec.windows.periodic import Sliding
from muntin.spec.windows.user_defined import UserTrigger, UserWindow

ROOT = Path(__file__).parents[2]
PORTIONS = ("optimized", "reference", "tools")
COMMON = {kind.__name__ for kind in (Sliding, Session, UserWindow, UserTrigger)}
"""Types for which there are whole algorithms, and those that run a machine of the user's."""
NAMES = {kind.__name__ for kind in TABLE} - COMMON

TO_BE_EDITED = {
    "optimized/muntin/optimized/common/window_traits.py": "the row of a type",
    "reference/muntin/conformance/machines/random_choices.py": "how a type is chosen at random",
    "reference/muntin/conformance/transcript/windows.py": "how a type is written",
}
"""The files that a new type touches, besides its module and the facade of the specification."""

PERIODIC, FRAMES = {"Band", "Cumulate", "Landmark"}, {"Delta", "State", "Threshold"}
MADE_BY_EVENTS = {"LastNEvery", "Punctuation", "Rolling"}

ALGORITHMS = {
    "optimized/muntin/columnar/engine/plan.py": PERIODIC | {"Punctuation", "Rolling"},
    "optimized/muntin/kernels/slicing/retention.py": PERIODIC | {"Punctuation", "Rolling"},
    "optimized/muntin/kernels/slicing/track.py": PERIODIC | {"Punctuation", "Rolling"},
    "optimized/muntin/kernels/slicing/view.py": PERIODIC | {"Punctuation", "Rolling"},
    "optimized/muntin/optimized/in_order/discretizer.py": PERIODIC | FRAMES | MADE_BY_EVENTS,
    "optimized/muntin/optimized/in_order/trackers/frames.py": FRAMES | {"Punctuation"},
    "optimized/muntin/optimized/in_order/trackers/periodic.py": PERIODIC,
    "optimized/muntin/optimized/in_order/trackers/record_level.py": {"LastNEvery", "Rolling"},
    "optimized/muntin/optimized/scotty/eviction_rules.py": FRAMES | MADE_BY_EVENTS | {"Landmark"},
    "optimized/muntin/optimized/scotty/groups/tuple_key_state.py": {"LastNEvery", "Rolling"},
    "optimized/muntin/optimized/scotty/schedules/fixed_schedules.py": PERIODIC,
    "optimized/muntin/optimized/scotty/schedules/periodic_edges.py": PERIODIC,
    "optimized/muntin/spark/call/window_arguments.py": {"Punctuation"},
    "reference/muntin/reference/bucket_stores.py": PERIODIC - {"Landmark"},
    "reference/muntin/reference/eviction_rules.py": FRAMES | MADE_BY_EVENTS,
}
"""Which types each file serves in a way of their own. It may only shrink."""


def named_types(path: Path) -> set[str]:
    """The window types that the code of a file names."""
    nodes = ast.walk(ast.parse(path.read_text()))
    return {node.id for node in nodes if isinstance(node, ast.Name)} & NAMES


def test_only_the_table_and_algorithms_name_window_types() -> None:
    named = {
        str(path.relative_to(ROOT)): types
        for portion in PORTIONS
        for path in (ROOT / portion).rglob("*.py")
        if (types := named_types(path))
    }
    assert set(TO_BE_EDITED) <= set(named)
    assert {path: types for path, types in named.items() if path not in TO_BE_EDITED} == ALGORITHMS


def test_a_new_type_touches_at_most_five_files() -> None:
    assert len(TO_BE_EDITED) + len(("its module", "the facade")) <= 5
