"""Bucket numbers that Spark's hash spreads evenly, whatever power of two there is of partitions."""

from functools import cache

MASK = 2**32 - 1
SEED = 42
C1, C2 = 0xCC9E2D51, 0x1B873593


def rotated(x: int, by: int) -> int:
    """Rotate 32 bits to the left."""
    return ((x << by) | (x >> (32 - by))) & MASK


def hash_of_long(value: int) -> int:
    """Return the hash by which Spark sends a bigint to a partition (Murmur3, with seed 42).

    >>> hash_of_long(1), hash_of_long(-5)
    (-1712319331, 424949597)
    """
    h = SEED
    for word in (value & MASK, (value >> 32) & MASK):
        k = rotated(word * C1 & MASK, 15) * C2 & MASK
        h = (rotated(h ^ k, 13) * 5 + 0xE6546B64) & MASK
    h ^= 8
    h = (h ^ (h >> 16)) * 0x85EBCA6B & MASK
    h = (h ^ (h >> 13)) * 0xC2B2AE35 & MASK
    h ^= h >> 16
    return h - 2**32 if h >= 2**31 else h


@cache
def bucket_ids(n: int) -> tuple[int, ...]:
    """Return n numbers that go to n different partitions of n.

    >>> sorted(hash_of_long(one) % 8 for one in bucket_ids(8))
    [0, 1, 2, 3, 4, 5, 6, 7]
    """
    found, candidate = dict[int, int](), 0
    while len(found) < n:
        found.setdefault(hash_of_long(candidate) % n, candidate)
        candidate += 1
    return tuple(found[place] for place in range(n))
