"""A combine of the user's that raises: after a number of combines that succeed, or never."""

from dataclasses import dataclass, replace

from muntin.spec.algebra.monoid import Monoid

NEVER = -1


class BlownError(Exception):
    """The error that the combine raises."""


@dataclass
class CombineFuse:
    """The number of combines that succeed before one raises."""

    remaining: int = NEVER

    def wrap(self, monoid: Monoid[str]) -> Monoid[str]:
        """The monoid with this fuse in its combine.

        >>> fuse = CombineFuse(remaining=1)
        >>> combine = fuse.wrap(Monoid("", str.__add__)).combine
        >>> combine("a", "b")
        'ab'
        >>> combine("a", "b")
        Traceback (most recent call last):
        exhaustive.states.fuse.BlownError: of 'a' and 'b'
        """

        def combine(left: str, right: str) -> str:
            if not self.remaining:
                raise BlownError(f"of {left!r} and {right!r}")
            self.remaining -= 1
            return monoid.combine(left, right)

        return replace(monoid, combine=combine)
