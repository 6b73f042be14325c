"""Tables of 64-bit words, on which compiled kernels work instead of on arrays.

A table is the address of an array, and its width is part of its type. An array would bring along
its shape, its strides and its owner: an index would be tested for a negative one, the place of a
row would be multiplied out, six arrays would be 42 arguments of a call, and owners are counted. A
table keeps no array alive: it must not outlive the call that made it.
"""

# Numba and llvmlite have few type annotations, so:
# pyright: reportUnknownVariableType=false, reportUnknownMemberType=false
# pyright: reportUnknownArgumentType=false

import operator
from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Protocol

from numba import types
from numba.extending import intrinsic, models, overload, register_model

WORDS_PER_LINE = 8
"""Words of a cache line on all processors that muntin is likely to run on."""

ir = import_module("llvmlite.ir")
WORD, WORD_ADDRESS = ir.IntType(64), ir.IntType(64).as_pointer()
BYTE_ADDRESS, PREFETCH = ir.IntType(8).as_pointer(), "llvm.prefetch.p0i8"
KINDS: dict[str, types.Type] = {"int": types.int64, "float": types.float64}


class _Value(Protocol):
    type: "_Value"

    def as_pointer(self) -> object: ...


class _Context(Protocol):
    def make_array(self, kind: object) -> Callable[..., "_ArrayParts"]: ...
    def cast(self, builder: object, value: object, old: object, new: object) -> _Value: ...
    def get_value_type(self, kind: object) -> _Value: ...
    def get_dummy_value(self) -> object: ...


class _ArrayParts(Protocol):
    data: object


class _Module(Protocol):
    globals: dict[str, object]


class _Builder(Protocol):
    module: _Module

    def mul(self, left: object, right: object, *, flags: Sequence[str]) -> object: ...
    def add(self, left: object, right: object, *, flags: Sequence[str]) -> object: ...
    def gep(self, address: object, places: Sequence[object], *, inbounds: bool) -> object: ...
    def bitcast(self, value: object, kind: object) -> object: ...
    def load(self, address: object) -> object: ...
    def store(self, value: object, address: object) -> object: ...
    def cttz(self, value: object, zero_is_undefined: object) -> object: ...
    def call(self, function: object, arguments: Sequence[object]) -> object: ...


class _Signature(Protocol):
    args: Sequence[object]


Generator = Callable[[_Context, _Builder, _Signature, Sequence[object]], object]
Typed = tuple[object, Generator]


class Table(types.Type):
    """Rows of `width` partials of `fields` words each."""

    def __init__(self, width: int, fields: int) -> None:
        """Name the type by its numbers: equal names are one type."""
        self.width, self.fields = width, fields
        super().__init__(f"Table({width}, {fields})")


@register_model(Table)
class TableModel(models.PrimitiveModel):
    """A table is an address."""

    def __init__(self, manager: object, kind: Table) -> None:
        """Hold the address."""
        super().__init__(manager, kind, WORD_ADDRESS)  # type: ignore[no-untyped-call] # of Numba


def _word_address(
    place: tuple[object, object, object], kind: Table, builder: _Builder, field: int = 0
) -> object:
    """The address of a field of a partial; `place` is a table, a row and a position in it."""
    table, row, at = place
    start = builder.mul(row, WORD(kind.width * kind.fields), flags=("nsw",))
    partial = builder.mul(at, WORD(kind.fields), flags=("nsw",))
    word = builder.add(builder.add(start, partial, flags=("nsw",)), WORD(field), flags=("nsw",))
    return builder.gep(table, [word], inbounds=True)


def _place(
    context: _Context, builder: _Builder, signature: _Signature, values: Sequence[object]
) -> tuple[object, object, object]:
    """The table, the row and the position that are the first arguments of an intrinsic."""
    row, at = (context.cast(builder, values[k], signature.args[k], types.int64) for k in (1, 2))
    return values[0], row, at


def table_maker(fields: int) -> Callable[..., object]:
    """The function that makes a table of an array and a width."""

    @intrinsic(prefer_literal=True)
    def table_of(_: object, array: types.Type, width: types.Type) -> Typed | None:
        if not isinstance(width, types.IntegerLiteral):
            return None

        def generate(
            context: _Context, builder: _Builder, signature: _Signature, values: Sequence[object]
        ) -> object:
            parts = context.make_array(signature.args[0])(context, builder, values[0])
            return builder.bitcast(parts.data, WORD_ADDRESS)

        return Table(int(width.literal_value), fields)(array, width), generate

    return table_of


def reader(field: int, kind: str) -> Callable[..., object]:
    """The function that reads a field of the partial in a row and a position."""

    @intrinsic
    def read(_: object, table: Table, row: types.Type, at: types.Type) -> Typed:
        def generate(
            context: _Context, builder: _Builder, signature: _Signature, values: Sequence[object]
        ) -> object:
            place = _place(context, builder, signature, values)
            address = _word_address(place, table, builder, field)
            value_type = context.get_value_type(KINDS[kind])
            return builder.load(builder.bitcast(address, value_type.as_pointer()))

        return KINDS[kind](table, row, at), generate

    return read


def writer(field: int, kind: str) -> Callable[..., object]:
    """The function that writes a field of the partial in a row and a position."""

    @intrinsic
    def write(_: object, table: Table, row: types.Type, at: types.Type, value: types.Type) -> Typed:
        def generate(
            context: _Context, builder: _Builder, signature: _Signature, values: Sequence[object]
        ) -> object:
            place = _place(context, builder, signature, values)
            address = _word_address(place, table, builder, field)
            number = context.cast(builder, values[3], signature.args[3], KINDS[kind])
            builder.store(number, builder.bitcast(address, number.type.as_pointer()))
            return context.get_dummy_value()

        return types.void(table, row, at, value), generate

    return write


_read_int, _write_int = reader(0, "int"), writer(0, "int")


@overload(operator.getitem, jit_options={"forceinline": True})
def table_item(table: object, index: Sequence[object]) -> Callable[..., object] | None:
    """Read an integer at a row and a position, or at a position of the only row."""

    def read_in_row(table: object, index: Sequence[object]) -> object:
        return _read_int(table, index[0], index[1])

    def read_at(table: object, index: Sequence[object]) -> object:
        return _read_int(table, 0, index)

    if isinstance(table, Table):
        return read_in_row if isinstance(index, types.BaseTuple) else read_at
    return None


@overload(operator.setitem, jit_options={"forceinline": True})
def set_table_item(
    table: object, index: Sequence[object], value: object
) -> Callable[..., object] | None:
    """Write an integer at a row and a position, or at a position of the only row."""
    del value

    def write_in_row(table: object, index: Sequence[object], value: object) -> None:
        _write_int(table, index[0], index[1], value)

    def write_at(table: object, index: Sequence[object], value: object) -> None:
        _write_int(table, 0, index, value)

    if isinstance(table, Table):
        return write_in_row if isinstance(index, types.BaseTuple) else write_at
    return None


@intrinsic
def fetch(_: object, table: Table, row: types.Type) -> Typed:
    """Prefetch a row."""

    def generate(
        context: _Context, builder: _Builder, signature: _Signature, values: Sequence[object]
    ) -> object:
        word = ir.IntType(32)
        prefetch = builder.module.globals.get(PREFETCH)
        if prefetch is None:
            kind = ir.FunctionType(ir.VoidType(), [BYTE_ADDRESS, word, word, word])
            prefetch = ir.Function(builder.module, kind, PREFETCH)
        read_data_high_locality = [word(option) for option in (0, 3, 1)]
        first = context.cast(builder, values[1], signature.args[1], types.int64)
        for at in range(0, table.width, max(1, WORDS_PER_LINE // table.fields)):
            line = _word_address((values[0], first, WORD(at)), table, builder)
            builder.call(prefetch, [builder.bitcast(line, BYTE_ADDRESS), *read_data_high_locality])
        return context.get_dummy_value()

    return types.void(table, row), generate


@intrinsic
def trailing_zeros(_: object, mask: types.Type) -> Typed:
    """The position of the lowest set bit."""

    def generate(
        _context: _Context, builder: _Builder, _signature: _Signature, values: Sequence[object]
    ) -> object:
        return builder.cttz(values[0], ir.IntType(1)(1))

    return types.int64(mask), generate
