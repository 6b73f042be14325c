"""Laws: what an aggregate declares, checked on every small input; the smallest refutation is shown.

Associativity, commutativity and invertibility are those of [Tangwongsan15], section 3.2.
"""

from collections.abc import Callable, Iterator, Sequence
from copy import deepcopy
from dataclasses import dataclass, replace
from functools import reduce
from itertools import combinations_with_replacement, pairwise, product

from muntin.spec.algebra.aggregate import Aggregate, R, V
from muntin.spec.algebra.monoid import A

Sides = tuple[object, object]
Same = Callable[[object, object], bool]
ASSOCIATIVE = "combine(combine(x, y), z) = combine(x, combine(y, z))"
COMMUTATIVE = "combine(x, y) = combine(y, x)"
PURE = "x, y after combine(x, y) = x, y"
SPLIT = "lower(combine(x, y)) = lower(of xy)"
INVERT = "invert(combine(x, y), y) = x"
INVERT_FIRST = "invert_first(combine(x, y), x) = y"


@dataclass(frozen=True)
class Counterexample:
    """A law and the words x, y, z whose partials refute it: its sides differ (definition A7)."""

    law: str
    words: tuple[tuple[object, ...], ...]
    left: object
    right: object

    def __str__(self) -> str:
        """Return all of it in one line."""
        words = ", ".join(f"{n} = {word!r}" for n, word in zip("xyz", self.words, strict=False))
        return f"{self.law} fails for {words}: {self.left!r} is not {self.right!r}"


def same(left: object, right: object) -> bool:
    """Whether two partials or results are equal, or look equal, as NaN and NaN do."""
    return bool(left == right) or repr(left) == repr(right)


def _laws(of: Aggregate[V, A, R], words: list[tuple[V, ...]]) -> Iterator[tuple[str, Sides]]:
    def on_copies(operation: Callable[[A, A], A]) -> Callable[[A, A], A]:
        return lambda left, right: operation(*deepcopy((left, right)))

    def partial(word: tuple[V, ...]) -> A:  # with a false identity inside, no word would show it
        return reduce(combine, map(of.lift, word)) if word else unit

    unit, combine = of.monoid.identity, on_copies(of.monoid.combine)
    match [partial(word) for word in words]:
        case [x]:
            yield "combine(identity, x) = x", (combine(unit, x), x)
            yield "combine(x, identity) = x", (combine(x, unit), x)
        case [x, y]:
            whole, after = combine(x, y), deepcopy((x, y))
            of.monoid.combine(*after)
            yield PURE, (after, (x, y))
            yield SPLIT, (of.lower(whole), of.lower(partial(words[0] + words[1])))
            if of.commutative:
                yield COMMUTATIVE, (whole, combine(y, x))
            if of.monoid.invert:
                yield INVERT, (on_copies(of.monoid.invert)(whole, y), x)
            if of.monoid.invert_first:
                yield INVERT_FIRST, (on_copies(of.monoid.invert_first)(whole, x), y)
        case [x, y, z]:
            yield ASSOCIATIVE, (combine(combine(x, y), z), combine(x, combine(y, z)))
        case _:
            pass


def counterexamples(
    aggregate: Aggregate[V, A, R], letters: Sequence[V], longest: int = 3, equal: Same = same
) -> Iterator[Counterexample]:
    """Every refutation by words of at most so many letters in all, the smallest first.

    `equal` compares partials and results: floats, for one, are only near the law.
    """
    splits = (
        [word[a:b] for a, b in pairwise((0, *cuts, size))]
        for size in range(longest + 1)
        for parts in (1, 3, 2)
        for word in product(letters, repeat=size)
        for cuts in combinations_with_replacement(range(size + 1), parts - 1)
    )
    for words in splits:
        for law, (left, right) in _laws(aggregate, words):
            if not (same if law == PURE else equal)(left, right):
                yield Counterexample(law, tuple(words), left, right)


def counterexample(
    aggregate: Aggregate[V, A, R], letters: Sequence[V], longest: int = 3, equal: Same = same
) -> Counterexample | None:
    """The smallest refutation of what the aggregate declares, or None (definition A8).

    >>> from muntin.spec.algebra.catalogue import named_keeping_nulls
    >>> print(counterexample(replace(named_keeping_nulls("collect"), commutative=True), [1, 2]))
    combine(x, y) = combine(y, x) fails for x = (1,), y = (2,): (1, 2) is not (2, 1)
    """
    return next(counterexamples(aggregate, letters, longest, equal), None)


def without_refuted_facts(
    aggregate: Aggregate[V, A, R], letters: Sequence[V], longest: int = 3, equal: Same = same
) -> Aggregate[V, A, R]:
    """The same aggregate without the declared facts that small words refute (definition A9)."""
    refuted = {found.law for found in counterexamples(aggregate, letters, longest, equal)}
    inner = aggregate.monoid
    invert = None if INVERT in refuted else inner.invert
    invert_first = None if INVERT_FIRST in refuted else inner.invert_first
    monoid = replace(inner, invert=invert, invert_first=invert_first)
    commutative = aggregate.commutative and COMMUTATIVE not in refuted
    return replace(aggregate, monoid=monoid, commutative=commutative)
