"""TIME and COUNT are compared by identity, which every copy keeps, on workers and in memory."""

import copy
import pickle
from collections.abc import Callable
from importlib import import_module

import pytest

from muntin.kernels.slicing.supported import refusal
from muntin.spec.algebra.catalogue import named
from muntin.spec.query import DEFAULTS, Query
from muntin.spec.windows.data_driven import Session
from muntin.spec.windows.measure import COUNT, TIME, Measure
from muntin.spec.windows.periodic import Sliding, count
from muntin.spec.windows.window import WindowType

Copying = Callable[[object], object]
cloudpickle = import_module("pyspark.cloudpickle")


def sent(whole: object) -> object:
    """Return what arrives at a worker of Spark."""
    return pickle.loads(cloudpickle.dumps(whole))  # noqa: S301 - it is our own


def pickled(whole: object) -> object:
    """Return what comes back from bytes."""
    return pickle.loads(pickle.dumps(whole))  # noqa: S301 - it is our own


COPIES: tuple[Copying, ...] = (sent, pickled, copy.copy, copy.deepcopy)


@pytest.mark.parametrize("copied", COPIES)
@pytest.mark.parametrize("kind", [Sliding(10, 4), Session(7), count(5)])
def test_a_window_type_keeps_its_measure(kind: WindowType, copied: Copying) -> None:
    other = copied(kind)
    assert other == kind
    assert isinstance(other, WindowType)
    assert other.measure is kind.measure
    assert other.measure in (TIME, COUNT)
    query = Query("q", other, named("sum"))
    assert refusal(query, DEFAULTS) is None


@pytest.mark.parametrize("copied", [sent, copy.deepcopy])
def test_another_measure_of_the_same_name_stays_another(copied: Copying) -> None:
    other = copied(Measure("time", lambda event: event.time // 2))
    assert isinstance(other, Measure)
    assert other.name == "time"
    assert other is not TIME
