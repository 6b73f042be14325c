"""Laws: what an aggregate declares, checked on every small input; the smallest refutation is shown.

Associativity, commutativity and invertibility are those of [Tangwongsan15], section 3.2.
"""

from collections.abc import Callable, Iterator, Sequence
from copy import deepcopy
from dataclasses import dataclass
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
        """The law, the words and both sides in one line."""
        words = ", ".join(f"{n} = {word!r}" for n, word in zip("xyz", self.words, strict=False))
        return f"{self.law} fails for {words}: {self.left!r} is not {self.right!r}"


def is_same(left: object, right: object) -> bool:
    """Whether two partials or results are equal, or look equal, as NaN and NaN do."""
    return bool(left == right) or repr(left) == repr(right)


def _laws(aggregate: Aggregate[V, A, R], words: list[tuple[V, ...]]) -> Iterator[tuple[str, Sides]]:
    def on_copies(operation: Callable[[A, A], A]) -> Callable[[A, A], A]:
        return lambda left, right: operation(*deepcopy((left, right)))

    def partial(word: tuple[V, ...]) -> A:  # with a false identity inside, no word would show it
        return reduce(combine, map(aggregate.lift, word)) if word else unit

    unit, combine = aggregate.monoid.identity, on_copies(aggregate.monoid.combine)
    match [partial(word) for word in words]:
        case [x]:
            yield "combine(identity, x) = x", (combine(unit, x), x)
            yield "combine(x, identity) = x", (combine(x, unit), x)
        case [x, y]:
            total, after = combine(x, y), deepcopy((x, y))
            aggregate.monoid.combine(*after)
            yield PURE, (after, (x, y))
            yield SPLIT, (aggregate.lower(total), aggregate.lower(partial(words[0] + words[1])))
            if aggregate.commutative:
                yield COMMUTATIVE, (total, combine(y, x))
            if aggregate.monoid.invert:
                yield INVERT, (on_copies(aggregate.monoid.invert)(total, y), x)
            if aggregate.monoid.invert_first:
                yield INVERT_FIRST, (on_copies(aggregate.monoid.invert_first)(total, x), y)
        case [x, y, z]:
            yield ASSOCIATIVE, (combine(combine(x, y), z), combine(x, combine(y, z)))
        case _:
            pass


def counterexamples(
    aggregate: Aggregate[V, A, R], letters: Sequence[V], longest: int = 3, equal: Same = is_same
) -> Iterator[Counterexample]:
    """Every refutation by words of at most `longest` letters in all, the smallest first.

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
            if not (is_same if law == PURE else equal)(left, right):
                yield Counterexample(law, tuple(words), left, right)


def counterexample(
    aggregate: Aggregate[V, A, R], letters: Sequence[V], longest: int = 3, equal: Same = is_same
) -> Counterexample | None:
    """The smallest refutation of what the aggregate declares, or None (definition A8).

    >>> from dataclasses import replace
    >>> from muntin.spec import named_keeping_nulls
    >>> print(counterexample(replace(named_keeping_nulls("collect"), commutative=True), [1, 2]))
    combine(x, y) = combine(y, x) fails for x = (1,), y = (2,): (1, 2) is not (2, 1)
    """
    return next(counterexamples(aggregate, letters, longest, equal), None)
