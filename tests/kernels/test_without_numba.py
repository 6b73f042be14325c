"""Without Numba the same operator is interpreted, and `explain` says so."""

import os
import subprocess
import sys

from muntin.columnar.operator import ColumnarOperator
from muntin.spec.algebra.catalogue import named
from muntin.spec.query import Query, Settings
from muntin.spec.stream import END, Event, Step
from muntin.spec.windows.periodic import Sliding

SCRIPT = """
import sys

sys.modules["numba"] = None
from importlib import util

find, util.find_spec = util.find_spec, lambda name: None if name == "numba" else find(name)

import numpy as np
from muntin.kernels.compiler.availability import COMPILED
from muntin.kernels.slicing.custom import compiled_aggregate
from muntin.columnar.operator import ColumnarOperator
from muntin.kernels.compiler.numeric_aggregate import NumericAggregate
from muntin.spec.algebra.catalogue import named
from muntin.spec.windows.data_driven import LastNEvery, Session
from muntin.spec.windows.periodic import Sliding
from muntin.spec.query import Query, Settings

assert not COMPILED
total = NumericAggregate("total", ("int",), ("int",), (0,), lambda v: (v,),
                         lambda a, b: (a[0] + b[0],), lambda a: a, ("int",))
for method in ("auto", "compiled"):
    operator = ColumnarOperator(Settings(3), method=method)
    operator.add(Query("s", Sliding(8, 4), named("sum")))
    operator.add(Query("t", Sliding(8, 4), compiled_aggregate(total, commutative=True)))
    operator.add(Query("n", LastNEvery(2, 8), named("max")))
    operator.add(Query("e", Session(3), named("mean")))
    times = np.arange(100) // 3
    for begin in range(0, 100, 20):
        part = times[begin:begin + 20]
        found = operator.take_columns(part, part * 7 % 5, None, int(part.max()) - 2)
        if method == "auto":
            print([tuple(r) for r in found.results() if r.query in "st"])
    print([line.split(": ")[2][:12] for line in operator.explain().splitlines()])
"""


def test_what_is_not_compiled_gives_the_same() -> None:
    run = subprocess.run(  # noqa: S603 - it is this Python
        [sys.executable, "-c", SCRIPT],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ},
    )
    lines = run.stdout.splitlines()
    scotty = ColumnarOperator(Settings(3), method="generic")
    for name in "st":
        scotty.add(Query(name, Sliding(8, 4), named("sum")))
    times = [n // 3 for n in range(100)]
    for index, begin in enumerate(range(0, 100, 20)):
        events = tuple(Event(t, t * 7 % 5) for t in times[begin : begin + 20])
        expected = scotty.take(Step(events, events[-1].time - 2)).results
        assert lines[index] == str([tuple(r) for r in expected])
    assert lines[5] == "['slices (kern', 'generic (tot', 'generic (las', 'slices (kern']"
    assert scotty.take(Step((), END)).results
