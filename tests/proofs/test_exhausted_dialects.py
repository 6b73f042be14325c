"""Every small trace in dialects and settings of which any two decisions meet."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import combinations, product

import pytest

from exhaustive.profile import PROFILE
from exhaustive.traces.dialects import ASKED, CHOICES, alone, every_two, meeting, together
from exhaustive.traces.operators import CONTENDERS, SCOTTY
from exhaustive.traces.trace_counts import traces
from exhaustive.traces.walk import Scope, Walk

WALKS = {"ci": [(SCOTTY, 3)], "nightly": [(SCOTTY, 4), (CONTENDERS, 3)]}[PROFILE]


@pytest.mark.parametrize("scopes", [alone, together])
@pytest.mark.parametrize("name", ASKED)
def test_what_is_decided_two_at_a_time_is_done(
    name: str, scopes: Callable[[str], Iterator[Scope]]
) -> None:
    results = 0
    for scope, (entries, length) in product(scopes(name), WALKS):
        walk = Walk(replace(scope, length=length), entries)
        assert "scotty-lazy" in walk.names
        walked = walk.run()
        assert walked.traces == traces(replace(scope, length=length))
        results += walked.results
    assert results > 0


def test_every_two_decisions_meet() -> None:
    walked = [{**vars(one), **vars(one.dialect)} for one in every_two()]
    for (one, some), (other, more) in combinations(CHOICES.items(), 2):
        assert {(each[one], each[other]) for each in walked} == set(product(some, more))
    assert len(walked) == len(meeting(CHOICES)) < 25


@pytest.mark.parametrize("name", ASKED)
def test_each_type_is_walked_in_all_of_these_settings(name: str) -> None:
    nights = [*every_two(in_order=True)] if PROFILE == "nightly" else []
    assert [scope.settings for scope in alone(name)] == [*every_two(), *nights]
    assert {scope.windows for scope in alone(name)} == {(ASKED[name],)}
    scopes = [*alone(name), *together(name)]
    assert {(scope.times, scope.length, scope.first) for scope in scopes} == {(3, 3, -1)}


def test_every_two_types_of_windows_meet() -> None:
    met = {scope.windows for name in ASKED for scope in together(name)}
    assert {len(windows) for windows in met} == {2}
    assert len(met) == len(ASKED) ** 2
