"""A later landmark window holds what earlier ones hold: a case found by `muntin fuzz`."""

import pytest

from muntin.conformance.machines.random_choices import BAGS, Letter
from muntin.conformance.output_comparison import response_difference
from muntin.reference.specification import SpecificationOperator
from muntin.registry.implementations import OPERATORS, OperatorEntry
from muntin.spec.errors import UnsupportedError
from muntin.spec.query import Query, Settings
from muntin.spec.stream import END, Event
from muntin.spec.windows.measure import COUNT
from muntin.spec.windows.periodic import Landmark

LANDMARK = Query("q", Landmark(-1, 1, COUNT), BAGS)
REFUSING = ("tuple-buckets", "aggregate-buckets", "panes", "pairs", "pairs-plus")


@pytest.mark.parametrize("entry", OPERATORS, ids=lambda entry: entry.name)
def test_events_behind_a_landmark_of_count_are_kept(entry: OperatorEntry) -> None:
    settings = Settings(in_order=entry.in_order_only)
    oracle, operator = SpecificationOperator(settings), entry.build(settings)
    oracle.add(LANDMARK)
    try:
        operator.add(LANDMARK)
    except UnsupportedError:
        assert entry.name in REFUSING
        return
    for event, watermark in ((Event(-51, Letter(2, 1)), -12), (Event(2, Letter(2, 2)), END)):
        expected = oracle.step([event], watermark)
        assert not response_difference(expected, operator.step([event], watermark))
        assert expected.results
