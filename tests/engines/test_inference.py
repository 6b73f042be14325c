"""Inference: a planted dialect is in the class that is found, and nothing is chosen by chance."""

import os
from dataclasses import fields, replace
from random import Random
from secrets import randbelow

import pytest

from engines.toy_engine import ToyEngine
from muntin.conformance.engines.distinction import dialect_engine
from muntin.conformance.engines.engine import AdapterEngine
from muntin.conformance.engines.inference import (
    CHOICES,
    InferencePlan,
    WindowInference,
    candidate_dialects,
    common_decisions,
    infer,
)
from muntin.spec.dialect import OURS, Dialect

MANY = os.environ.get("MUNTIN_PROFILE", "dev") != "dev"
WINDOWS = ("session", "count", "rolling") * (4 if MANY else 1)


def infer_one(dialect: Dialect, window: str, traces: int = 60) -> WindowInference:
    engine = dialect_engine(dialect)
    (inference,) = infer(engine, InferencePlan((window,), randbelow(2**32), traces))
    return inference


@pytest.mark.parametrize(("number", "window"), [*enumerate(WINDOWS)])
def test_a_random_dialect_is_among_those_that_are_inferred(number: int, window: str) -> None:
    random = Random(f"{randbelow(2**32)}:{number}")  # noqa: S311 - no secret
    planted = random.choice([*candidate_dialects(window, dialect_engine(OURS).description)])
    inference = infer_one(planted, window)
    assert planted in inference.dialects, planted
    assert inference.explained == inference.traces == 60


def test_a_decision_that_shows_is_known_and_one_that_does_not_is_open() -> None:
    inference = infer_one(Dialect(session_merge="le", lateness="window"), "session", 100)
    assert inference.decisions["session_merge"] == ("le",)
    assert inference.decisions["lateness"] == ("window",)
    never = infer_one(Dialect(lateness="never", late_update="none"), "count", 100)
    assert never.decisions["lateness"] == ("never",)
    assert set(never.decisions) == {"closing", "lateness", "late_update", "count_order"}


def test_a_fault_does_not_strike_out_the_dialect() -> None:
    faulty = AdapterEngine(ToyEngine("bridge loses the third session"))
    (inference,) = infer(faulty, InferencePlan(("session",), 1, 120))
    assert 110 < inference.explained < inference.traces
    assert Dialect(lateness="window") in inference.dialects


def test_window_types_are_combined_by_what_all_of_them_leave() -> None:
    def inference(window: str, *dialects: Dialect) -> WindowInference:
        return WindowInference(window, 9, 9, dialects)

    right, late = Dialect(edges="right"), Dialect(edges="right", lateness="window")
    common = common_decisions([inference("tumbling", right, late), inference("session", OURS)])
    assert (common["edges"], common["lateness"]) == (("right",), ("event",))
    assert common["session_end"] == ("gap",)
    assert "ties" not in common
    split = common_decisions([inference("tumbling", late), inference("session", OURS)])
    assert split["lateness"] == ()


def test_every_decision_is_shown_by_some_window_type() -> None:
    names = {field.name for field in fields(Dialect)}
    assert set(CHOICES) == names
    explicit = dialect_engine(OURS).description
    shown = {
        name
        for window in explicit.windows
        for dialect in candidate_dialects(window, explicit)
        for name in names
        if getattr(dialect, name) != getattr(OURS, name)
    }
    assert shown == names
    batch = [*candidate_dialects("session", replace(explicit, clock="none"))]
    assert len(batch) == 4
