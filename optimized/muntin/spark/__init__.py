"""Windows on Spark: any number of them in one pass, in batch and in streaming.

    from muntin.spark import aggregate, micros

The guide is docs/spark.md. It needs the extra `spark`.
"""

from typing import TYPE_CHECKING

from muntin.kernels.lazily import lazily
from muntin.spark.durations import micros

if TYPE_CHECKING:
    from muntin.spark.operator import aggregate
    from muntin.spark.replay import ReplaySource
    from muntin.spark.session import local_session

__all__ = ["ReplaySource", "aggregate", "local_session", "micros"]

PLACES = {"aggregate": "operator", "ReplaySource": "replay", "local_session": "session"}


__getattr__ = lazily(__name__, PLACES, "spark")
