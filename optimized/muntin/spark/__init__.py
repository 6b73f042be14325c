"""Windows on Spark: any number of them in one pass, in batch and in streaming.

    from muntin.spark import aggregate, session, sliding, tumbling

The guide is docs/spark.md. It needs the extra `spark`.
"""

from typing import TYPE_CHECKING

from muntin.kernels.compiler.lazy_exports import lazy_exports

if TYPE_CHECKING:
    from muntin.columnar.windows import (
        band,
        cumulate,
        landmark,
        last_n_every,
        rolling,
        session,
        slide_by_tuple,
        sliding,
        tumbling,
    )
    from muntin.spark.call.aggregation import aggregate
    from muntin.spark.source.replay_source import ReplaySource
    from muntin.spark.spark_session import local_session

__all__ = [
    "ReplaySource", "aggregate", "band", "cumulate", "landmark", "last_n_every", "local_session",
    "rolling", "session", "slide_by_tuple", "sliding", "tumbling",
]  # fmt: skip

WINDOWS = (
    *("band", "cumulate", "landmark", "last_n_every", "rolling", "session", "slide_by_tuple"),
    *("sliding", "tumbling"),
)
MODULES = {
    **dict.fromkeys(WINDOWS, "muntin.columnar.windows"),
    "aggregate": "muntin.spark.call.aggregation",
    "ReplaySource": "muntin.spark.source.replay_source",
    "local_session": "muntin.spark.spark_session",
}


__getattr__ = lazy_exports(__name__, MODULES, "spark")
