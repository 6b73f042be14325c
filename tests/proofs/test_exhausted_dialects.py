"""Each window type alone, where each two decisions of a dialect and of the settings meet."""

from itertools import combinations, product

import pytest

from exhaustive.counting import traces
from exhaustive.dialects import ASKED, CHOICES, every_two, meeting, scopes
from exhaustive.operators import CONTENDERS, SCOTTY
from exhaustive.profile import PROFILE
from exhaustive.traces import Walk

WALKING = {"ci": SCOTTY, "nightly": CONTENDERS}[PROFILE]


@pytest.mark.parametrize("name", ASKED)
def test_what_is_decided_two_at_a_time_is_done(name: str) -> None:
    results = 0
    for scope in scopes(name):
        walked = Walk(scope, WALKING).run()
        assert walked.traces == traces(scope)
        results += walked.results
    assert results > 0


def test_every_two_decisions_meet() -> None:
    rows = meeting(CHOICES)
    for (one, some), (other, more) in combinations(CHOICES.items(), 2):
        assert {(row[one], row[other]) for row in rows} == set(product(some, more))
    assert len(set(every_two(in_order=False))) == len(rows) < 25
