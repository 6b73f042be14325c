"""The algorithms over columns: compiled by Numba where it is there, else run as they are.

    from muntin.kernels import aggregate, rolling

The guide is docs/columns.md. It needs the extra `kernels`.
"""

from typing import TYPE_CHECKING

from muntin.kernels.lazily import lazily

if TYPE_CHECKING:
    from muntin.kernels.slicing.custom import summarised
    from muntin.kernels.slicing.operator import ColumnarOperator
    from muntin.kernels.slicing.over import over
    from muntin.kernels.summary import Summary
    from muntin.kernels.table import aggregate, rolling

__all__ = ["ColumnarOperator", "Summary", "aggregate", "over", "rolling", "summarised"]

PLACES = {
    "ColumnarOperator": "slicing.operator",
    "Summary": "summary",
    "aggregate": "table",
    "over": "slicing.over",
    "rolling": "table",
    "summarised": "slicing.custom",
}

__getattr__ = lazily(__name__, PLACES, "kernels")
