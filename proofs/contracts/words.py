"""Lemmas on words, the free monoid."""

from muntin.spec.algebra.monoid import FREE, Word


def inverses_undo_concatenation(word: Word, part: Word) -> None:
    """P1: the inverses of the free monoid undo concatenation, at either end."""
    assert len(word) <= 3
    assert len(part) <= 3
    assert FREE.invert is not None
    assert FREE.invert_first is not None

    assert FREE.invert(FREE.combine(word, part), part) == word
    assert FREE.invert_first(FREE.combine(part, word), part) == word
