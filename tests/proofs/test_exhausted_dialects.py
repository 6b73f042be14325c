"""Every small trace in dialects and settings that cover all pairs of decisions."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import combinations, product

import pytest

from exhaustive.profile import PROFILE
from exhaustive.traces.dialects import (
    CHOICES,
    WINDOWS,
    paired_window_scopes,
    pairwise_choices,
    pairwise_settings,
    single_window_scopes,
)
from exhaustive.traces.operators import IMPLEMENTATIONS, SCOTTY_ONLY
from exhaustive.traces.trace_counts import trace_count
from exhaustive.traces.walk import TraceScope, TraceWalk

WALKS = {"ci": [(SCOTTY_ONLY, 3)], "nightly": [(SCOTTY_ONLY, 4), (IMPLEMENTATIONS, 3)]}[PROFILE]


@pytest.mark.parametrize("scopes", [single_window_scopes, paired_window_scopes])
@pytest.mark.parametrize("name", WINDOWS)
def test_scotty_answers_in_every_pair_of_decisions(
    name: str, scopes: Callable[[str], Iterator[TraceScope]]
) -> None:
    results = 0
    for scope, (entries, length) in product(scopes(name), WALKS):
        walk = TraceWalk(replace(scope, length=length), entries)
        assert "scotty-lazy" in walk.names
        walked = walk.run()
        assert walked.traces == trace_count(replace(scope, length=length))
        results += walked.results
    assert results > 0


def test_every_two_decisions_meet() -> None:
    settings = [{**vars(each), **vars(each.dialect)} for each in pairwise_settings()]
    for (name, values), (other, other_values) in combinations(CHOICES.items(), 2):
        pairs = {(each[name], each[other]) for each in settings}
        assert pairs == set(product(values, other_values))
    assert len(settings) == len(pairwise_choices(CHOICES)) < 25


@pytest.mark.parametrize("name", WINDOWS)
def test_each_type_is_explored_in_all_of_these_settings(name: str) -> None:
    nights = [*pairwise_settings(in_order=True)] if PROFILE == "nightly" else []
    assert [scope.settings for scope in single_window_scopes(name)] == [
        *pairwise_settings(),
        *nights,
    ]
    assert {scope.windows for scope in single_window_scopes(name)} == {(WINDOWS[name],)}
    scopes = [*single_window_scopes(name), *paired_window_scopes(name)]
    assert {(scope.times, scope.length, scope.first) for scope in scopes} == {(3, 3, -1)}


def test_every_two_types_of_windows_meet() -> None:
    pairs = {scope.windows for name in WINDOWS for scope in paired_window_scopes(name)}
    assert {len(windows) for windows in pairs} == {2}
    assert len(pairs) == len(WINDOWS) ** 2
