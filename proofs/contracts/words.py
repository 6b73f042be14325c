"""Lemmas on words. CrossHair searches for a counterexample."""

from muntin.spec.algebra.monoid import FREE, Word


def inverses_undo_concatenation(whole: Word, part: Word) -> None:
    """P1: the inverses of the free monoid undo concatenation, at either end."""
    assert len(whole) <= 3
    assert len(part) <= 3
    assert FREE.invert is not None
    assert FREE.invert_first is not None

    assert FREE.invert(FREE.combine(whole, part), part) == whole
    assert FREE.invert_first(FREE.combine(part, whole), part) == whole
