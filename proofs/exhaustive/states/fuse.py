"""A combine of the user's that raises: after so many combines that go well, or never."""

from dataclasses import dataclass, replace

from muntin.spec.algebra.monoid import Monoid

NEVER = -1


class BlownError(Exception):
    """What the combine raises."""


@dataclass
class CombineFuse:
    """How many combines are left before one raises."""

    remaining: int = NEVER

    def wrap(self, monoid: Monoid[str]) -> Monoid[str]:
        """The same monoid, which may raise.

        >>> fuse = Fuse(left=1)
        >>> combine = fuse.put_into(Monoid("", str.__add__)).combine
        >>> combine("a", "b")
        'ab'
        >>> combine("a", "b")
        Traceback (most recent call last):
        exhaustive.states.fuse.BlownError: of 'a' and 'b'
        """

        def combine(one: str, other: str) -> str:
            if not self.remaining:
                raise BlownError(f"of {one!r} and {other!r}")
            self.remaining -= 1
            return monoid.combine(one, other)

        return replace(monoid, combine=combine)
