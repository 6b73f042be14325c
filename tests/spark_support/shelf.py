"""Where pieces are kept in tests of buckets."""


class InMemory(dict[str, bytes]):
    """A shelf."""

    def write_chunk(self, name: str, piece: bytes) -> None:
        """Keep a piece."""
        self[name] = piece

    def drop(self, name: str) -> None:
        """Keep a piece no more."""
        del self[name]
