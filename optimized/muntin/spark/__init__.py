"""Windows on Spark: any number of them in one pass, in batch and in streaming.

    from muntin.spark import aggregate, micros

The guide is docs/spark.md. It needs the extra `spark`.
"""

from importlib import import_module
from typing import TYPE_CHECKING

from muntin.spark.durations import micros

if TYPE_CHECKING:
    from muntin.spark.operator import aggregate
    from muntin.spark.replay import ReplaySource
    from muntin.spark.session import local_session

__all__ = ["ReplaySource", "aggregate", "local_session", "micros"]

PLACES = {"aggregate": "operator", "ReplaySource": "replay", "local_session": "session"}


def __getattr__(name: str) -> object:
    """Import what needs pyspark when it is asked for, and say what is missing if it is."""
    if name not in PLACES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    try:
        return getattr(import_module(f"{__name__}.{PLACES[name]}"), name)
    except ModuleNotFoundError as missing:
        raise ModuleNotFoundError(
            f"muntin.spark needs {missing.name}: pip install 'muntin[spark]'", name=missing.name
        ) from missing
