"""Windows on Spark: any number of them in one pass, in batch and in streaming.

    from muntin.spark import aggregate, micros

The guide is docs/spark.md. It needs the extra `spark`.
"""

from typing import TYPE_CHECKING

from muntin.kernels.compiler.lazy_exports import lazy_exports
from muntin.spark.call.durations import micros

if TYPE_CHECKING:
    from muntin.spark.call.aggregation import aggregate
    from muntin.spark.session import local_session
    from muntin.spark.source.replay_source import ReplaySource

__all__ = ["ReplaySource", "aggregate", "local_session", "micros"]

MODULES = {
    "aggregate": "muntin.spark.call.aggregation",
    "ReplaySource": "muntin.spark.source.replay_source",
    "local_session": "muntin.spark.session",
}


__getattr__ = lazy_exports(__name__, MODULES, "spark")
