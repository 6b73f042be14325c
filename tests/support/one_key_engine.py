"""Sums of windows of one key, by the columnar engine itself; imports no compiler."""

import numpy as np

from muntin.columnar.engine import directory as d
from muntin.columnar.engine.engine import ColumnarEngine
from muntin.columnar.engine.partials.kernels import kernels_for
from muntin.columnar.engine.partials.part_table import KeptPart
from muntin.columnar.engine.plan import edges_of, query_row
from muntin.kernels.slicing.parts import Sum
from muntin.spec.query import Settings
from muntin.spec.windows.periodic import Sliding


def small_engine() -> tuple[ColumnarEngine, int]:
    """An engine of one window and one sum, and the place of its column."""
    kinds = [Sliding(10, 10)]
    rows = [row for kind in kinds if (row := query_row(kind))]
    engine = ColumnarEngine(rows, edges_of(kinds), Settings(output="accumulate"))
    place = engine.add_source(np.dtype(np.int64))
    kernels = kernels_for(Sum("v"), "int")
    assert kernels is not None
    engine.add_part(KeptPart(Sum("v"), kernels, place))
    return engine, place


def one_key_sums() -> list[int]:
    """The sums of tumbling windows of one key."""
    engine, place = small_engine()
    engine.bind(d.TIMES, np.arange(40))
    engine.bind(place, np.arange(40))
    assert engine.step(40, 40)
    [(column,)] = engine.take().parts.values()
    return [int(value) for value in column]
