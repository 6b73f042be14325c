"""How kernels see arrays: an address and a length, which Numba neither counts nor checks.

Low-level extension of Numba by its documented interface. An array of Numba has seven fields and
wraps negative indices; this has two, so there is half as much to compile. A slice has both bounds,
which lie within.
"""

# Numba has no type annotations, so:
# pyright: reportUnknownVariableType=false, reportUnknownMemberType=false, reportUnknownParameterType=false

import operator
from collections.abc import Callable

from llvmlite import ir
from numba import types
from numba.extending import lower_builtin, models, register_model, type_callable

from muntin.columnar.compiler.array_layout import DATA_OFFSET

WORD, REAL = ir.IntType(64), ir.DoubleType()
DIRECTORY = types.CPointer(types.int64)


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
        members = [("data", types.CPointer(kind.item)), ("size", types.int64)]
        super().__init__(manager, kind, members)


INTS, FLOATS = ColumnType(types.int64), ColumnType(types.float64)
COLUMNS = {"ints": INTS, "words": INTS, "floats": FLOATS}
"""The types of columns, by the functions that read them; words are floats by their bits, too."""


def _column(builder: object, context: object, kind: object, data: object, size: object) -> object:
    empty = ir.Constant(context.get_value_type(kind), ir.Undefined)
    return builder.insert_value(builder.insert_value(empty, data, 0), size, 1)


def _word(context: object, builder: object, value: object, kind: object) -> object:
    return value if value.type == WORD else context.cast(builder, value, kind, types.int64)


def _item(context: object, builder: object, signature: object, values: list[object]) -> object:
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
def _getitem(context: object, builder: object, signature: object, values: list[object]) -> object:
    return builder.load(_item(context, builder, signature, values))


@lower_builtin(operator.getitem, ColumnType, types.SliceType)
def _slice(context: object, builder: object, signature: object, values: list[object]) -> object:
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
def _setitem(context: object, builder: object, signature: object, values: list[object]) -> object:
    column, _, kind = signature.args
    value = context.cast(builder, values[2], kind, column.item)
    builder.store(value, _item(context, builder, signature, values))
    return context.get_dummy_value()


@type_callable(len)
def _type_len(_: object) -> Callable[..., object]:
    def typer(column: object) -> object:
        return types.int64 if isinstance(column, ColumnType) else None

    return typer


@lower_builtin(len, ColumnType)
def _len(_c: object, builder: object, _s: object, values: list[object]) -> object:
    return builder.extract_value(values[0], 1)


def _entry(
    context: object, builder: object, signature: object, values: list[object], nth: int
) -> object:
    """Where the directory has the address, or the length, of what lies at a place."""
    place = _word(context, builder, values[1], signature.args[1])
    twice = builder.add(place, place)
    return builder.gep(values[0], [builder.add(twice, WORD(nth))])


def register_column(helper: object, kind: ColumnType) -> None:
    """Let kernels call a function for the column at a place."""
    pointer = WORD.as_pointer() if kind is INTS else REAL.as_pointer()

    @type_callable(helper)
    def _type_helper(_: object) -> Callable[..., object]:
        return lambda t, place: kind  # noqa: ARG005 - Numba goes by the names

    @lower_builtin(helper, DIRECTORY, types.Integer)
    def _helper(context: object, builder: object, signature: object, values: list[object]) -> object:
        address, size = (
            builder.load(_entry(context, builder, signature, values, nth)) for nth in (0, 1)
        )
        return _column(builder, context, kind, builder.inttoptr(address, pointer), size)


def register_set_address(helper: object) -> None:
    """Let kernels write where the data of an array object lie."""

    @type_callable(helper)
    def _type_helper(_: object) -> Callable[..., object]:
        return lambda t, place, object_address, n: types.void  # noqa: ARG005 - Numba goes by the names

    @lower_builtin(helper, DIRECTORY, types.Integer, types.int64, types.int64)
    def _helper(context: object, builder: object, signature: object, values: list[object]) -> object:
        field = builder.add(values[2], WORD(DATA_OFFSET))
        data = builder.load(builder.inttoptr(field, WORD.as_pointer()))
        builder.store(data, _entry(context, builder, signature, values, 0))
        builder.store(values[3], _entry(context, builder, signature, values, 1))
        return context.get_dummy_value()


def register_lacks(helper: object) -> None:
    """Let kernels see whether an address is missing, and ask for it by the length beside it."""

    @type_callable(helper)
    def _type_helper(_: object) -> Callable[..., object]:
        return lambda t, place: types.boolean  # noqa: ARG005 - Numba goes by the names

    @lower_builtin(helper, DIRECTORY, types.Integer)
    def _helper(
        context: object, builder: object, signature: object, values: list[object]
    ) -> object:
        address, asked = (_entry(context, builder, signature, values, nth) for nth in (0, 1))
        missing = builder.icmp_signed("==", builder.load(address), WORD(0))
        builder.store(builder.select(missing, WORD(1), builder.load(asked)), asked)
        return missing


def register_call(helper: object, words: int, place: int | None = None) -> None:
    """Let kernels call one by its address: given first, or in the directory at a place."""
    names = ("a", "b", "c")[:words]
    given = () if place is not None else ("function",)
    typer = _typer((*given, "t", *names))
    type_callable(helper)(lambda _: typer)
    kinds = [types.int64] * len(given) + [DIRECTORY] + [types.Integer] * words

    @lower_builtin(helper, *kinds)
    def _helper(context: object, builder: object, signature: object, values: list[object]) -> object:
        t, numbers = values[len(given)], values[len(given) + 1 :]
        kinds = signature.args[len(given) + 1 :]
        own = None if place is None else builder.gep(t, [WORD(2 * place)])
        address = values[0] if own is None else builder.load(own)
        kind = ir.FunctionType(WORD, [WORD.as_pointer(), *[WORD] * words])
        arguments = [
            context.cast(builder, number, given_kind, types.int64)
            for number, given_kind in zip(numbers, kinds, strict=True)
        ]
        return builder.call(builder.inttoptr(address, kind.as_pointer()), [t, *arguments])


TYPERS = {
    ("function", "t", "a", "b", "c"): lambda function, t, a, b, c: types.int64,  # noqa: ARG005
    ("t",): lambda t: types.int64,  # noqa: ARG005
    ("t", "a"): lambda t, a: types.int64,  # noqa: ARG005
    ("t", "a", "b"): lambda t, a, b: types.int64,  # noqa: ARG005
    ("t", "a", "b", "c"): lambda t, a, b, c: types.int64,  # noqa: ARG005
}
"""Numba goes by the names and the number of parameters."""


def _typer(names: tuple[str, ...]) -> Callable[..., object]:
    return TYPERS[names]
