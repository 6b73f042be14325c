"""A bucket itself, on a shelf in memory."""

from collections.abc import Mapping

import pytest

from muntin.spark.bucket import Bucket
from muntin.spark.wanted import Asked
from muntin.spec.periodic import tumbling
from spark_support.tables import MERGED, OF_ONE, Row, lines_in, plan_of, table_of


class InMemory(dict[str, bytes]):
    """A shelf."""

    def put(self, name: str, piece: bytes) -> None:
        """Keep a piece."""
        self[name] = piece

    def drop(self, name: str) -> None:
        """Keep a piece no more."""
        del self[name]


@pytest.mark.parametrize("wanted", [MERGED, OF_ONE])
def test_a_bucket_knows_how_far_the_watermark_has_come(wanted: Mapping[str, Asked]) -> None:
    plan, shelf = plan_of({"w": tumbling(10)}, wanted), InMemory()
    held, late = (table_of([_row(time)]) for time in (25, 7))
    before = Bucket(plan, shelf)
    assert not list(before.take(held, 20))
    after = Bucket(plan, shelf, before.state())
    assert [line.kind for line in lines_in(plan, after.take(late, 3))] == ["late"]


def _row(time: int) -> Row:
    return ("a", 0, time, 1, None, None, None, False)
