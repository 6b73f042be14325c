"""Windows over columns: whole tables at once, or batch by batch.

    from muntin.columnar import aggregate, rolling

The guide is docs/columns.md. It needs the extra `kernels`.
"""

from typing import TYPE_CHECKING

from muntin.kernels.compiler.lazy_exports import lazy_exports

if TYPE_CHECKING:
    from muntin.columnar.table import aggregate, rolling
    from muntin.kernels.compiler.numeric_aggregate import NumericAggregate
    from muntin.kernels.slicing.custom import compiled_aggregate
    from muntin.columnar.operator import ColumnarOperator
    from muntin.kernels.slicing.over import over

__all__ = [
    "ColumnarOperator",
    "NumericAggregate",
    "aggregate",
    "compiled_aggregate",
    "over",
    "rolling",
]

MODULES = {
    "ColumnarOperator": "muntin.columnar.operator",
    "NumericAggregate": "muntin.kernels.compiler.numeric_aggregate",
    "aggregate": "muntin.columnar.table",
    "over": "muntin.kernels.slicing.over",
    "rolling": "muntin.columnar.table",
    "compiled_aggregate": "muntin.kernels.slicing.custom",
}

__getattr__ = lazy_exports(__name__, MODULES, "kernels")
