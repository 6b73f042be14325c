"""Which kernels a part has over values of a type, and what a row holds before any value came."""

from collections.abc import Callable, Mapping
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from muntin.columnar.engine import directory as d
from muntin.columnar.engine.directory import AnyArray
from muntin.columnar.engine.kernel_language import CallbackPhase, PartPhase
from muntin.columnar.engine.partials import (
    choice,
    columns,
    extremes,
    first_last,
    products,
    squares,
    sums,
    ties,
)
from muntin.columnar.engine.partials.objects import copy_objects, object_kernels
from muntin.columnar.engine.partials.values import logs
from muntin.kernels.slicing.arrays import column_of
from muntin.kernels.slicing.choice import Choice, Everything, InOrder, Product, Ties
from muntin.kernels.slicing.parts import Count, First, Last, Max, Min, Part, Squares, Sum

ValueType = Literal["int", "wide", "float", "object", "code", "rank"]
"""Integers of 64 bits, such integers whose sums pass 64 bits, floats, numbers of any size; or
anything, by a code, or by one in the order of the values."""
CODED: tuple[ValueType, ...] = ("code", "rank")
Identity = NDArray[np.generic]
DTYPES: Mapping[ValueType, type[object]] = {
    "int": np.int64, "wide": np.int64, "float": np.float64, "object": np.object_,
    "code": np.int64, "rank": np.int64,
}  # fmt: skip
TYPES_OF_OBJECTS: Mapping[type[Part], tuple[ValueType, ...]] = {
    Min: ("rank",), Max: ("rank",), Ties: ("rank",), Everything: ("rank",),
    First: ("code",), Last: ("code",), InOrder: ("code",), Choice: ("rank", "code"),
}  # fmt: skip
"""How parts keep what is no number of 64 bits; those that compute with it keep objects."""
VALUE_COLUMNS: Mapping[type[Part], tuple[int, ...]] = {
    Min: (0,), Max: (0,), Ties: (0,), First: (1,), Last: (1,), Choice: (0, 1),
}  # fmt: skip
"""Which columns of a part hold values of its columns as they came."""


PartKernel = PartPhase | CallbackPhase
"""What the state calls for a partial."""


class PartKernels(NamedTuple):
    """The columns of a partial, each by one item that it is filled with, and what is called."""

    value_type: ValueType
    identity: tuple[Identity, ...]
    add: PartKernel
    merge: PartKernel
    copy: PartKernel = columns.copy_columns
    prefix: PartKernel | None = None
    fold: PartKernel | None = None
    degree: int = 0  # of the values whose sum must not wrap
    flags: int = 0
    is_log: bool = False


def items(*values: object, value_type: ValueType = "int") -> tuple[Identity, ...]:
    """The identity of a partial, in columns of one type."""
    return tuple(np.array([value], DTYPES[value_type]) for value in values)


def int_sums(value_type: ValueType, n: int, add: PartKernel, degree: int = 0) -> PartKernels:
    """The kernels of some columns of integers that are added up."""
    return PartKernels(
        value_type, items(*[0] * n), add, columns.merge_int_sums,
        prefix=columns.prefix_int_sums, fold=columns.range_int_sums, degree=degree,
    )  # fmt: skip


def _sum(_: Part, value_type: ValueType, __: ValueType) -> PartKernels:
    if value_type == "float":
        zero = items(0, value_type="float")
        return PartKernels("float", zero, sums.add_float_sum, sums.merge_float_sum)
    if value_type == "wide":
        return int_sums("wide", 2, sums.add_wide_sum)
    return int_sums("int", 1, sums.add_int_sum, degree=1)


def _squares(_: Part, value_type: ValueType, __: ValueType) -> PartKernels:
    if value_type == "float":
        identity = (*items(0), *items(0, 0, value_type="float"))
        add, merge = squares.add_float_squares, squares.merge_float_squares
        return PartKernels("float", identity, add, merge)
    if value_type == "wide":
        return int_sums("wide", squares.WIDE_COLUMNS, squares.add_wide_squares)
    return int_sums("int", 3, squares.add_int_squares, degree=2)


def _extreme(part: Part, value_type: ValueType, _: ValueType) -> PartKernels:
    greatest, real = isinstance(part, Max), value_type == "float"
    outside = (-np.inf if greatest else np.nan) if real else (-d.FAR if greatest else d.FAR - 1) * 2
    if not real and not greatest:
        outside += 1
    flags = d.UPWARD * greatest | d.REAL * real
    identity = items(outside, value_type=value_type)
    return PartKernels(
        value_type, identity, extremes.add_extreme, extremes.merge_extreme, flags=flags
    )


def _first_last(part: Part, value_type: ValueType, _: ValueType) -> PartKernels:
    last = isinstance(part, Last)
    identity = (*items(-d.FAR if last else d.FAR), *items(0, value_type=value_type))
    add, merge = first_last.add_first_last, first_last.merge_first_last
    return PartKernels(value_type, identity, add, merge, flags=d.ORDERED | d.UPWARD * last)


def _choice(part: Part, value_type: ValueType, brings: ValueType) -> PartKernels:
    greatest = isinstance(part, Choice) and part.greatest
    identity = (*items(0, value_type=value_type), *items(0, value_type=brings), *items(d.FAR))
    flags = d.ORDERED | d.UPWARD * greatest | d.REAL * (value_type == "float")
    return PartKernels(value_type, identity, choice.add_choice, choice.merge_choice, flags=flags)


def _ties(part: Part, value_type: ValueType, _: ValueType) -> PartKernels:
    identity = (*items(0, value_type=value_type), *items(0))
    greatest = isinstance(part, Ties) and part.greatest
    flags = d.UPWARD * greatest | d.REAL * (value_type == "float")
    return PartKernels(value_type, identity, ties.add_ties, ties.merge_ties, flags=flags)


def _product(_: Part, __: ValueType, ___: ValueType) -> PartKernels:
    identity = (*items(0, 0, 0), *items(1, value_type="float"), *items(0))
    return PartKernels("float", identity, products.add_product, products.merge_products)


def _log(part: Part, value_type: ValueType, _: ValueType) -> PartKernels:
    in_order = isinstance(part, InOrder)
    flags = d.ORDERED if in_order else d.REAL * (value_type == "float")
    add, merge = logs.add_log, logs.merge_logs
    return PartKernels(value_type, items(0, 0), add, merge, flags=flags, is_log=True)


def _count(_: Part, __: ValueType, ___: ValueType) -> PartKernels:
    return int_sums("int", 1, columns.add_count)


_MAKERS: Mapping[type[Part], Callable[[Part, ValueType, ValueType], PartKernels]] = {
    Count: _count, Sum: _sum, Squares: _squares, Min: _extreme, Max: _extreme,
    First: _first_last, Last: _first_last, Choice: _choice, Ties: _ties, Product: _product,
    Everything: _log, InOrder: _log,
}  # fmt: skip


def _objects(part: Part) -> PartKernels:
    """The kernels of numbers of any type."""
    add, merge = object_kernels(type(part))
    empty: tuple[int, ...] = (0, 0, 0, 0) if isinstance(part, Squares) else (0,)
    empty = (0, 0, 0, 1, 0) if isinstance(part, Product) else empty
    return PartKernels("object", items(*empty, value_type="object"), add, merge, copy_objects)


def kernels_for(part: Part, value_type: ValueType, second: ValueType = "int") -> PartKernels | None:
    """The kernels of a part over values of a type, and of a second one where it brings those."""
    if value_type == "object":
        return _objects(part)
    maker = _MAKERS.get(type(part))
    return maker(part, value_type, second) if maker else None


def filled(size: int, identity: Identity) -> AnyArray:
    """A column that no value came to."""
    return column_of(np.full(size, identity, identity.dtype))
