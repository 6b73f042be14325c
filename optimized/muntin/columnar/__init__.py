"""Windows over columns: whole tables at once, or batch by batch.

    from muntin.columnar import aggregate, rolling

The guide is docs/columns.md. It needs the extra `kernels`.
"""

from typing import TYPE_CHECKING

from muntin.kernels.compiler.lazy_exports import lazily

if TYPE_CHECKING:
    from muntin.columnar.table import aggregate, rolling
    from muntin.kernels.compiler.numeric_aggregate import Summary
    from muntin.kernels.slicing.custom import summarised
    from muntin.kernels.slicing.operator import ColumnarOperator
    from muntin.kernels.slicing.over import over

__all__ = ["ColumnarOperator", "Summary", "aggregate", "over", "rolling", "summarised"]

MODULES = {
    "ColumnarOperator": "muntin.kernels.slicing.operator",
    "Summary": "muntin.kernels.compiler.numeric_aggregate",
    "aggregate": "muntin.columnar.table",
    "over": "muntin.kernels.slicing.over",
    "rolling": "muntin.columnar.table",
    "summarised": "muntin.kernels.slicing.custom",
}

__getattr__ = lazily(__name__, MODULES, "kernels")
