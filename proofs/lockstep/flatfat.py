"""FlatFAT beside its model: every node, and the nodes and combines of each call."""

from random import Random

from lockstep.comparison import Comparison
from lockstep.words import CountedWords, letter
from muntin.optimized.flatfat.flatfat import FlatFat
from muntin.spec.cost import Meter

LEVELS = 5
"""The height of the largest tree."""


def flatfat_run(comparison: Comparison, rng: Random) -> None:
    """Compare a random run of a tree with its model."""
    words, meter, height = CountedWords(), Meter(), rng.randint(0, LEVELS)
    size = 2**height
    leaves = [letter(rng) for _ in range(size)]
    tree = FlatFat(words.monoid, leaves, meter)
    comparison.add(f"new {height} {' '.join(map(str, leaves))}", tree.nodes_by_number())
    for _ in range(rng.randint(1, 60)):
        words.combines = meter.visits = 0
        first, last = rng.randrange(size), rng.randrange(size)
        call = rng.choice(("update", "update", "prefix", "suffix", "range"))
        if call == "update":
            places = rng.sample(range(size), rng.randint(1, min(4, size)))
            writes = [(place, letter(rng)) for place in places]
            tree.update(writes)
            text = " ".join(f"{place} {value}" for place, value in writes)
            comparison.add(f"update {text}", [meter.visits, *tree.nodes_by_number()])
        elif call == "range":
            answer = tree.range(first, last)
            comparison.add(f"range {first} {last}", [answer, meter.visits])
        else:
            answer = tree.prefix(first) if call == "prefix" else tree.suffix(first)
            comparison.add(f"{call} {first}", [answer, words.combines])
