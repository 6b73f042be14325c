"""The engine for programs that drive it by columns, such as `muntin.spark`: all that they import.

| | |
| --- | --- |
| `WindowEngine(windows, aggregates, settings, saves=)` | all aggregates over all windows |
| `feed(times, columns, keys)` | rows of the next step; keys are numbers, new ones the next |
| `feed_partials(slices)` | slices of the next step that were made elsewhere |
| `advance(watermark)` | the step; the places of rows that are late |
| `take()` | results as columns, values as of Arrow |
| `extent()` | the first and last time of what is kept, for timers |
| `save(n_keys, before)`, `load(chunks, n_keys)` | chunks; what has not changed is equal |
| `SliceLayout(...).preaggregate(...)` | slices of rows; `encode`, `decode`, `merge` |
| `supported_windows`, `sliceable_windows`, `takes_partials` | what is served, and how |
| `preload()` | the code, for processes that are forked |

The guide is docs/columns.md. Names are imported when they are used: `preload` needs no Arrow.
"""

from typing import TYPE_CHECKING

from muntin.kernels.compiler.lazy_exports import lazy_exports

if TYPE_CHECKING:
    from muntin.columnar.arrow import M4
    from muntin.columnar.arrow_columns import ArrowColumn
    from muntin.columnar.embedding.preload import preload
    from muntin.columnar.embedding.result_rows import ResultRows
    from muntin.columnar.embedding.slice_encoding import HALF
    from muntin.columnar.embedding.slice_layout import (
        PartialColumns,
        PartialSlices,
        SliceLayout,
        SortedRows,
    )
    from muntin.columnar.embedding.window_engine import (
        SavedEngine,
        WindowEngine,
        sliceable_windows,
        supported_windows,
        takes_partials,
    )
    from muntin.columnar.key_numbers import KeyNumbers, number_keys
    from muntin.kernels.slicing.arrays import (
        FARTHEST,
        FIRST,
        LAST,
        LONGEST,
        Column,
        Flags,
        Ints,
        column_of,
    )
    from muntin.kernels.slicing.batch import Source, Values
    from muntin.kernels.slicing.custom import CompiledAggregate
    from muntin.kernels.slicing.forms import catalogued
    from muntin.kernels.slicing.over import is_record, is_row

__all__ = [
    "FARTHEST", "FIRST", "HALF", "LAST", "LONGEST", "M4", "ArrowColumn", "Column",
    "CompiledAggregate", "Flags", "Ints", "KeyNumbers", "PartialColumns", "PartialSlices",
    "ResultRows", "SavedEngine", "SliceLayout", "SortedRows", "Source", "Values", "WindowEngine",
    "catalogued", "column_of", "is_record", "is_row", "number_keys", "preload",
    "sliceable_windows", "supported_windows", "takes_partials",
]  # fmt: skip

OWN, SLICING = "muntin.columnar.embedding.", "muntin.kernels.slicing."
ENGINE = (
    *("SavedEngine", "WindowEngine", "sliceable_windows", "supported_windows"),
    "takes_partials",
)
SLICES = ("PartialColumns", "PartialSlices", "SliceLayout", "SortedRows")
ARRAYS = ("FARTHEST", "FIRST", "LAST", "LONGEST", "Column", "Flags", "Ints", "column_of")
MODULES = {
    **dict.fromkeys(ENGINE, f"{OWN}window_engine"),
    **dict.fromkeys(SLICES, f"{OWN}slice_layout"),
    **dict.fromkeys(ARRAYS, f"{SLICING}arrays"),
    **dict.fromkeys(("Source", "Values"), f"{SLICING}batch"),
    **dict.fromkeys(("is_record", "is_row"), f"{SLICING}over"),
    **dict.fromkeys(("KeyNumbers", "number_keys"), "muntin.columnar.key_numbers"),
    "ArrowColumn": "muntin.columnar.arrow_columns",
    "CompiledAggregate": f"{SLICING}custom",
    "HALF": f"{OWN}slice_encoding",
    "M4": "muntin.columnar.arrow",
    "ResultRows": f"{OWN}result_rows",
    "catalogued": f"{SLICING}forms",
    "preload": f"{OWN}preload",
}

__getattr__ = lazy_exports(__name__, MODULES, "kernels")
