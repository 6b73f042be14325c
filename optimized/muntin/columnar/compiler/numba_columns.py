"""How kernels see arrays: an address and a length, which Numba neither counts nor checks.

Low-level extension of Numba by its documented interface. An array of Numba has seven fields and
wraps negative indices; this has two, so there is half as much to compile. A slice has both bounds,
which lie within.
"""

# Numba has no type annotations, so:
# pyright: reportUnknownVariableType=false, reportUnknownMemberType=false
# pyright: reportUnknownParameterType=false, reportUnknownArgumentType=false
# pyright: reportUntypedFunctionDecorator=false, reportUntypedClassDecorator=false
# pyright: reportUntypedBaseClass=false, reportUnusedFunction=false, reportUnknownLambdaType=false

import operator
from collections.abc import Callable, Sequence
from importlib import import_module
from inspect import Parameter
from inspect import Signature as CallSignature
from typing import Protocol, TypeVar

from numba import types
from numba.extending import models, register_model

from muntin.columnar.compiler.array_layout import DATA_OFFSET

F = TypeVar("F", bound=Callable[..., object])


class Registration(Protocol):
    """A decorator that makes a function known to Numba."""

    def __call__(self, function: F, /) -> F:
        """The function itself."""
        ...


extending, ir = import_module("numba.extending"), import_module("llvmlite.ir")
lower_builtin: Callable[..., Registration] = extending.lower_builtin
type_callable: Callable[[Callable[..., object]], Registration] = extending.type_callable
pointer_to: Callable[[object], object] = types.CPointer
WORD, REAL = ir.IntType(64), ir.DoubleType()
DIRECTORY = pointer_to(types.int64)


class Value(Protocol):
    """A value of LLVM."""

    type: object


class Builder(Protocol):
    """What writes instructions of LLVM."""

    def insert_value(self, struct: Value, field: Value, index: int) -> Value:
        """A struct with another field."""
        ...

    def extract_value(self, struct: Value, index: int) -> Value:
        """A field of a struct."""
        ...

    def gep(self, pointer: Value, indices: Sequence[Value]) -> Value:
        """The address of an item."""
        ...

    def load(self, pointer: Value) -> Value:
        """Read."""
        ...

    def store(self, value: Value, pointer: Value) -> Value:
        """Write."""
        ...

    def add(self, left: Value, right: Value) -> Value:
        """Add words."""
        ...

    def sub(self, left: Value, right: Value) -> Value:
        """Subtract words."""
        ...

    def select(self, condition: Value, first: Value, second: Value) -> Value:
        """The first, or else the second."""
        ...

    def icmp_signed(self, comparison: str, left: Value, right: Value) -> Value:
        """Compare words."""
        ...

    def inttoptr(self, address: Value, kind: object) -> Value:
        """A pointer to an address."""
        ...

    def call(self, function: Value, arguments: Sequence[Value]) -> Value:
        """Call a function."""
        ...


class Context(Protocol):
    """What knows how values of Numba's types lie."""

    def get_value_type(self, kind: object) -> object:
        """The type of LLVM."""
        ...

    def get_dummy_value(self) -> Value:
        """The value of nothing."""
        ...

    def cast(self, builder: Builder, value: Value, kind: object, to: object) -> Value:
        """Convert to another type."""
        ...


class Signature(Protocol):
    """The types of a call."""

    args: Sequence[object]


class ColumnType(types.Type):
    """The type of a column of integers or floats."""

    def __init__(self, item: object) -> None:
        """Name the type by its items."""
        self.item = item
        super().__init__(name=f"Column({item})")


@register_model(ColumnType)
class ColumnModel(models.StructModel):
    """An address and a length."""

    def __init__(self, manager: object, kind: ColumnType) -> None:
        """Lay out the fields."""
        members = [("data", pointer_to(kind.item)), ("size", types.int64)]
        super().__init__(manager, kind, members)  # type: ignore[no-untyped-call] # Numba has no annotations


INTS, FLOATS = ColumnType(types.int64), ColumnType(types.float64)
COLUMNS = {"ints": INTS, "words": INTS, "floats": FLOATS}
"""The types of columns, by the functions that read them; words are floats by their bits, too."""


def _column(builder: Builder, context: Context, kind: object, data: Value, size: Value) -> Value:
    empty = ir.Constant(context.get_value_type(kind), ir.Undefined)
    return builder.insert_value(builder.insert_value(empty, data, 0), size, 1)


def _word(context: Context, builder: Builder, value: Value, kind: object) -> Value:
    return value if value.type == WORD else context.cast(builder, value, kind, types.int64)


def _item(
    context: Context, builder: Builder, signature: Signature, values: Sequence[Value]
) -> Value:
    index = _word(context, builder, values[1], signature.args[1])
    return builder.gep(builder.extract_value(values[0], 0), [index])


@type_callable(operator.getitem)
def _type_getitem(_: object) -> Callable[..., object]:
    def typer(column: object, index: object) -> object:
        if isinstance(column, ColumnType) and isinstance(index, types.Integer):
            return column.item
        if isinstance(column, ColumnType) and isinstance(index, types.SliceType):
            return column
        return None

    return typer


@lower_builtin(operator.getitem, ColumnType, types.Integer)
def _getitem(
    context: Context, builder: Builder, signature: Signature, values: Sequence[Value]
) -> Value:
    return builder.load(_item(context, builder, signature, values))


@lower_builtin(operator.getitem, ColumnType, types.SliceType)
def _slice(
    context: Context, builder: Builder, signature: Signature, values: Sequence[Value]
) -> Value:
    begin, end = (builder.extract_value(values[1], field) for field in (0, 1))
    data = builder.gep(builder.extract_value(values[0], 0), [begin])
    return _column(builder, context, signature.args[0], data, builder.sub(end, begin))


@type_callable(operator.setitem)
def _type_setitem(_: object) -> Callable[..., object]:
    def typer(column: object, index: object, value: object) -> object:
        if isinstance(column, ColumnType) and isinstance(index, types.Integer):
            return types.void if isinstance(value, types.Number | types.Boolean) else None
        return None

    return typer


@lower_builtin(operator.setitem, ColumnType, types.Integer, types.Any)
def _setitem(
    context: Context, builder: Builder, signature: Signature, values: Sequence[Value]
) -> Value:
    column, _, kind = signature.args
    item = column.item if isinstance(column, ColumnType) else None
    value = context.cast(builder, values[2], kind, item)
    builder.store(value, _item(context, builder, signature, values))
    return context.get_dummy_value()


@type_callable(len)
def _type_len(_: object) -> Callable[..., object]:
    def typer(column: object) -> object:
        return types.int64 if isinstance(column, ColumnType) else None

    return typer


@lower_builtin(len, ColumnType)
def _len(_c: Context, builder: Builder, _s: Signature, values: Sequence[Value]) -> Value:
    return builder.extract_value(values[0], 1)


def _entry(
    context: Context, builder: Builder, signature: Signature, values: Sequence[Value], nth: int
) -> Value:
    """Where the directory has the address, or the length, of what lies at a place."""
    place = _word(context, builder, values[1], signature.args[1])
    twice = builder.add(place, place)
    return builder.gep(values[0], [builder.add(twice, WORD(nth))])


def _type_calls(helper: Callable[..., object], arguments: int, result: object) -> None:
    """Say what a function returns, whatever their types."""

    def typer(*_: object) -> object:
        return result

    kind = Parameter.POSITIONAL_ONLY
    parameters = [Parameter(f"p{number}", kind) for number in range(arguments)]
    vars(typer)["__signature__"] = CallSignature(parameters)
    type_callable(helper)(lambda _context: typer)


def register_column(helper: Callable[..., object], kind: ColumnType) -> None:
    """Let kernels call a function for the column at a place."""
    pointer = WORD.as_pointer() if kind is INTS else REAL.as_pointer()

    _type_calls(helper, 2, kind)

    @lower_builtin(helper, DIRECTORY, types.Integer)
    def _helper(
        context: Context, builder: Builder, signature: Signature, values: Sequence[Value]
    ) -> Value:
        address, size = (
            builder.load(_entry(context, builder, signature, values, nth)) for nth in (0, 1)
        )
        return _column(builder, context, kind, builder.inttoptr(address, pointer), size)


def register_set_address(helper: Callable[..., object]) -> None:
    """Let kernels write where the data of an array object lie."""
    _type_calls(helper, 4, types.void)

    @lower_builtin(helper, DIRECTORY, types.Integer, types.int64, types.int64)
    def _helper(
        context: Context, builder: Builder, signature: Signature, values: Sequence[Value]
    ) -> Value:
        field = builder.add(values[2], WORD(DATA_OFFSET))
        data = builder.load(builder.inttoptr(field, WORD.as_pointer()))
        builder.store(data, _entry(context, builder, signature, values, 0))
        builder.store(values[3], _entry(context, builder, signature, values, 1))
        return context.get_dummy_value()


def register_lacks(helper: Callable[..., object]) -> None:
    """Let kernels see whether an address is missing, and ask for it by the length beside it."""
    _type_calls(helper, 2, types.boolean)

    @lower_builtin(helper, DIRECTORY, types.Integer)
    def _helper(
        context: Context, builder: Builder, signature: Signature, values: Sequence[Value]
    ) -> object:
        address, request = (_entry(context, builder, signature, values, nth) for nth in (0, 1))
        missing = builder.icmp_signed("==", builder.load(address), WORD(0))
        builder.store(builder.select(missing, WORD(1), builder.load(request)), request)
        return missing


def register_call(helper: Callable[..., object], words: int, place: int | None = None) -> None:
    """Let kernels call one by its address: given first, or in the directory at a place."""
    given = 0 if place is not None else 1
    _type_calls(helper, given + 1 + words, types.int64)
    kinds = [types.int64] * given + [DIRECTORY] + [types.Integer] * words

    @lower_builtin(helper, *kinds)
    def _helper(
        context: Context, builder: Builder, signature: Signature, values: Sequence[Value]
    ) -> Value:
        t, numbers = values[given], values[given + 1 :]
        kinds = signature.args[given + 1 :]
        own = None if place is None else builder.gep(t, [WORD(2 * place)])
        address = values[0] if own is None else builder.load(own)
        kind = ir.FunctionType(WORD, [WORD.as_pointer(), *[WORD] * words])
        arguments = [
            context.cast(builder, number, given_kind, types.int64)
            for number, given_kind in zip(numbers, kinds, strict=True)
        ]
        return builder.call(builder.inttoptr(address, kind.as_pointer()), [t, *arguments])
