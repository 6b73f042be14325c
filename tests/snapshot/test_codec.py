"""Plain values are encoded and decoded exactly, with shared objects, at any depth."""

import os
import subprocess
import sys
from collections import Counter, deque
from collections.abc import Iterator
from decimal import Decimal
from functools import singledispatch
from math import copysign, inf, isnan, nan
from operator import methodcaller
from typing import NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from muntin.snapshot import SnapshotError, decode, encode, register_value
from muntin.snapshot.value_types import VALUE_TYPES
from muntin.spec.errors import InvalidInputError


@pytest.fixture(autouse=True)
def _as_before() -> Iterator[None]:
    """Clear the registered types before and after each test."""
    before = dict(VALUE_TYPES)
    VALUE_TYPES.clear()
    yield
    VALUE_TYPES.clear()
    VALUE_TYPES.update(before)


FLOATS = st.floats(allow_nan=True, allow_infinity=True)
WHOLE = st.integers() | st.integers(-(2**200), 2**200) | st.sampled_from([2**62, -(2**62), 2**63])
SCALARS = st.none() | st.booleans() | WHOLE | FLOATS | st.text() | st.binary()
HASHED: SearchStrategy[object] = st.recursive(
    SCALARS | st.fractions(),
    lambda inner: st.lists(inner, max_size=3).map(tuple) | st.frozensets(inner, max_size=3),
    max_leaves=6,
)


def _containers(inner: SearchStrategy[object]) -> SearchStrategy[object]:
    lists = st.lists(inner, max_size=4)
    return st.one_of(
        lists,
        lists.map(tuple),
        st.builds(deque[object], lists, st.none() | st.integers(4, 9)),
        st.dictionaries(HASHED, inner, max_size=4),
        st.sets(HASHED, max_size=4),
        st.builds(Counter[object], st.lists(HASHED, max_size=4)),
    )


PLAIN: SearchStrategy[object] = st.recursive(HASHED, _containers, max_leaves=12)


@singledispatch
def spelled(value: object) -> object:
    """A form that differs for distinct equal values, such as 1 and True, or 0.0 and -0.0."""
    return type(value), value


@spelled.register
def _(value: float) -> object:
    return float, "nan" if isnan(value) else (value, copysign(1, value))


@spelled.register(set)
@spelled.register(frozenset)
def _(value: set[object]) -> object:
    return type(value), sorted(repr(spelled(item)) for item in value)


@spelled.register(dict)
def _(value: dict[object, object]) -> object:
    return type(value), [(spelled(key), spelled(item)) for key, item in value.items()]


@spelled.register(tuple)
@spelled.register(list)
@spelled.register(deque)
def _(value: list[object]) -> object:
    return type(value), getattr(value, "maxlen", None), [spelled(item) for item in value]


def iterated(value: object) -> list[object]:
    items: list[object] = list(methodcaller("__iter__")(value))
    return items


@given(PLAIN)
def test_values_come_back(value: object) -> None:
    data = encode(value)
    back = decode(data)
    assert spelled(back) == spelled(value)
    assert encode(back) == data


@given(PLAIN, st.data())
def test_damaged_bytes_raise_or_are_a_value(value: object, data: st.DataObject) -> None:
    """They have no checksum, unlike a snapshot; the worst result is a wrong value."""
    whole = bytearray(encode(value))
    at = data.draw(st.integers(0, len(whole) - 1))
    whole[at] = data.draw(st.integers(0, 255))
    try:
        back = decode(bytes(whole))
    except SnapshotError:
        return
    again = encode(back)
    assert encode(decode(again)) == again


@pytest.mark.parametrize("number", [0, -1, 2**62 - 1, 2**62, -(2**62), -(2**62) - 1, 10**4000])
def test_integers_of_any_size(number: int) -> None:
    assert decode(encode(number)) == number


@pytest.mark.parametrize("number", [inf, -inf, -0.0, 5e-324, 0.1])
def test_floats_are_exact(number: float) -> None:
    assert repr(decode(encode(number))) == repr(number)
    assert repr(decode(encode(nan))) == "nan"


def test_what_is_shared_stays_shared() -> None:
    shared, twin = [1], [1]
    back = iterated(decode(encode([shared, (shared,), {"a": shared}, twin])))
    first, (second,), table, other = back[0], iterated(back[1]), back[2], back[3]
    assert first is second
    assert methodcaller("get", "a")(table) is first
    assert other == first
    assert other is not first


def test_cycles() -> None:
    loop: list[object] = []
    loop += [loop, (loop,), {"loop": loop}, deque([loop])]
    back = decode(encode(loop))
    inside = iterated(back)
    assert inside[0] is back
    assert iterated(inside[1])[0] is back
    assert methodcaller("get", "loop")(inside[2]) is back
    assert iterated(inside[3])[0] is back


def test_values_of_any_depth_come_back() -> None:
    depth = 50_000
    nested: object = "core"
    for level in range(depth):
        nested = [nested] if level % 2 else (nested,)
    back = decode(encode(nested))
    for _ in range(depth):
        (back,) = iterated(back)
    assert back == "core"


def test_a_key_nested_too_deeply_is_refused_and_does_not_crash() -> None:
    nested: object = "core"
    for _ in range(1001):
        nested = (nested,)
    with pytest.raises(SnapshotError, match="nested more than 1000 deep"):
        decode(encode({nested: 1}))


def test_bytes_do_not_depend_on_the_seed_of_hashes() -> None:
    code = (
        "from muntin.snapshot import encode; words = 'the quick brown fox jumps over'.split();"
        "print(encode([set(words), frozenset(words), {(w, 1) for w in words}]).hex())"
    )
    made = {
        subprocess.run(  # noqa: S603 - our own words
            [sys.executable, "-c", code],
            env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": os.pathsep.join(sys.path)},
            check=True,
            capture_output=True,
        ).stdout
        for seed in ("1", "2", "3")
    }
    assert len(made) == 1


class Money(NamedTuple):
    """A custom value type."""

    cents: int
    currency: str


def test_an_unregistered_type_is_named_with_its_value_and_what_to_do() -> None:
    with pytest.raises(SnapshotError) as caught:
        encode({"price": [Decimal("1.5")]})
    assert f"{caught.value}" == (
        "the value['price'][0] holds Decimal('1.5') of the unregistered type Decimal: for a value "
        "type call muntin.snapshot.register_value, for a class of the operator register_state"
    )


def test_a_subclass_of_a_plain_type_is_another_type() -> None:
    class Meters(int):
        pass

    with pytest.raises(SnapshotError, match=r"of the unregistered type .*Meters"):
        encode(Meters(3))


def test_registered_types_come_back() -> None:
    register_value(Decimal, "decimal", str, Decimal)
    register_value(Money, "money", lambda money: (Decimal(money.cents), money.currency), _money)
    price = Money(5, "EUR")
    back = iterated(decode(encode([price, price, {price: Decimal("0.10")}, Decimal])))
    assert back == [price, price, {price: Decimal("0.10")}, Decimal]
    assert back[0] is back[1]
    assert type(back[0]) is Money


def _money(parts: tuple[Decimal, str]) -> Money:
    return Money(int(parts[0]), parts[1])


def test_names_of_value_types_are_unique() -> None:
    register_value(Decimal, "number", str, Decimal)
    register_value(Decimal, "number", str, Decimal)
    with pytest.raises(InvalidInputError, match="'number' belongs to another value type"):
        register_value(Money, "number", tuple, _money)
    with pytest.raises(InvalidInputError, match="int is a plain type"):
        register_value(int, "whole", str, int)


def test_a_type_that_fails_is_named() -> None:
    register_value(Decimal, "decimal", str, Decimal)
    data = encode(Decimal(7))
    register_value(Decimal, "decimal", methodcaller("nothing"), Decimal)
    with pytest.raises(
        SnapshotError, match=r"holds Decimal\('7'\), on which the encoder .* 'decimal' failed"
    ):
        encode(Decimal(7))
    register_value(Decimal, "decimal", str, methodcaller("nothing"))
    with pytest.raises(SnapshotError, match="decoder of the value type 'decimal' failed on '7'"):
        decode(data)
    del VALUE_TYPES[Decimal]
    with pytest.raises(SnapshotError, match="unregistered type 'decimal'"):
        decode(data)
