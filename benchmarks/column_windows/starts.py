"""The first answer of a process that compiles, and of the next one."""

from collections.abc import Iterator
from typing import NamedTuple

from column_windows.workload import GAP
from kernel_rounds.claims import first_calls

SCRIPT = """
from time import process_time
start = process_time()
from importlib import import_module
import numpy as np
from muntin.spec.algebra.catalogue import named
from muntin.spec.windows.data_driven import Session
from muntin.spec.windows.periodic import tumbling
from muntin.spec.query import Query
operator = import_module({module!r}).{name}()
for length in (10, 20, 50):
    operator.add(Query(str(length), tumbling(length), named("sum")))
if {session}:
    operator.add(Query("session", Session({gap}), named("sum")))
times = np.arange(4000)
answer = operator.take_columns(times, times, {keys}, 4000)
assert len(answer) >= 680
print(process_time() - start)
"""
KINDS = {
    "one key": ("None", False),
    "one key and a session": ("None", True),
    "many keys": ("times % 100", False),
    "many keys and a session": ("times % 100", True),
}


class FirstAnswer(NamedTuple):
    """Seconds of CPU to the first answer, imports included: cold and warm."""

    kind: str
    cold: float
    warm: float


def first_answers(path: str) -> Iterator[FirstAnswer]:
    """Yield the seconds of each kind of query."""
    module, _, name = path.partition(":")
    for kind, (keys, session) in KINDS.items():
        fields = {"module": module, "name": name, "keys": keys, "session": session, "gap": GAP}
        cold, warm = first_calls(SCRIPT.format(**fields))
        yield FirstAnswer(kind, cold, warm)
