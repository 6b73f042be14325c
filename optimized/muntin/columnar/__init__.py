"""Windows over columns: whole tables at once, or batch by batch.

    from muntin.columnar import aggregate, rolling, session, sliding, tumbling

The guide is docs/columns.md. It needs the extra `kernels`.
"""

from typing import TYPE_CHECKING

from muntin.kernels.compiler.lazy_exports import lazy_exports

if TYPE_CHECKING:
    from muntin.columnar.operator import ColumnarOperator
    from muntin.columnar.table import aggregate, rolling
    from muntin.columnar.windows import (
        band,
        cumulate,
        landmark,
        last_n_every,
        session,
        slide_by_tuple,
        sliding,
        tumbling,
    )
    from muntin.kernels.compiler.numeric_aggregate import NumericAggregate
    from muntin.kernels.slicing.custom import compiled_aggregate
    from muntin.kernels.slicing.over import over

__all__ = [
    "ColumnarOperator", "NumericAggregate", "aggregate", "band", "compiled_aggregate", "cumulate",
    "landmark", "last_n_every", "over", "rolling", "session", "slide_by_tuple", "sliding",
    "tumbling",
]  # fmt: skip

WINDOWS = (
    *("band", "cumulate", "landmark", "last_n_every", "session", "slide_by_tuple", "sliding"),
    "tumbling",
)
MODULES = {
    **dict.fromkeys(WINDOWS, "muntin.columnar.windows"),
    "ColumnarOperator": "muntin.columnar.operator",
    "NumericAggregate": "muntin.kernels.compiler.numeric_aggregate",
    "aggregate": "muntin.columnar.table",
    "over": "muntin.kernels.slicing.over",
    "rolling": "muntin.columnar.table",
    "compiled_aggregate": "muntin.kernels.slicing.custom",
}

__getattr__ = lazy_exports(__name__, MODULES, "kernels")
