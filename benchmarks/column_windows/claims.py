"""Claims about the operator over columns, and the figures that decide them."""

from collections.abc import Iterator, Sequence

from column_windows.measure import TUPLE, ColumnRow, Machine
from rounds.report import Claim

CONCURRENT = {100: 0.6, 1000: 0.3}
DISORDER, OVERHEAD, READ, KEYED = 0.25, 50.0, 3.0, 10.0
FIRST_STEP = """
from time import process_time
start = process_time()
import numpy as np
from muntin.columnar.operator import ColumnarOperator
from muntin.spec.algebra.catalogue import named
from muntin.spec.windows.periodic import tumbling
from muntin.spec.query import Query
operator = ColumnarOperator()
operator.add(Query("w", tumbling(10), named("sum")))
assert len(operator.take_columns(np.arange(4000), np.ones(4000), None, 4000)) == 400
print(process_time() - start)
"""
"""The first step of a second process, which needs every kernel of one window."""


def claims(rows: Sequence[ColumnRow], machine: Machine) -> Iterator[Claim]:
    """Yield each claim, decided by the rows."""
    by = {row.load.name: row.rate for row in rows}
    single = by["1 window, 20 % late"]
    for windows, least in CONCURRENT.items():
        rate = by[f"{windows} windows, 20 % late"]
        sentence = f"{windows} concurrent windows: at least {least} of the rate of one"
        yield Claim(
            rate / single >= least, sentence, f"{rate:.0f} of {single:.0f} M/s, {rate / single:.2f}"
        )
    order, late = by["20 windows, in order"], by["20 windows, 20 % late"]
    cost = 1 - late / order
    figures = f"{order:.0f} to {late:.0f} M/s, {100 * cost:.0f} %"
    yield Claim(cost <= DISORDER, "20 % late events cost at most 25 %", figures)
    micro = 100 / by["batches of 100"]
    yield Claim(micro < OVERHEAD, "a batch of 100 events takes less than 50 µs", f"{micro:.0f} µs")
    order = by["1 window, in order"]
    slower = machine.reading / order
    figures = f"{machine.reading:.0f} M/s are read, {order:.0f} M/s taken: {slower:.1f} times"
    sentence = "one window in order: at most 3 times as long as to read two columns and add up"
    yield Claim(slower <= READ, sentence, figures)
    keyed = by["1 window, 10^6 keys"]
    yield Claim(keyed >= KEYED, "a million keys: at least 10 M events a second", f"{keyed:.1f} M/s")


def share(rows: Sequence[ColumnRow], machine: Machine) -> str:
    """A sentence: the limit that memory sets, and the share that one window in order reaches."""
    order = next(row.rate for row in rows if row.load.name == "1 window, in order")
    bandwidth = machine.limit * TUPLE / 1000
    return (
        f"Memory delivers {bandwidth:.1f} GB a second to one core in this run, which is "
        f"{machine.limit:.0f} M events of {TUPLE} bytes. One window in order takes {order:.0f} M: "
        f"{100 * order / machine.limit:.0f} % of that limit."
    )
