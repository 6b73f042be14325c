"""Lemmas on arities: split and refilled nodes have a legal size, and rebalancing is paid for.

S2 in proofs/btree.md and L2 in proofs/amortization.md. The code computes arities the same way in
`muntin.optimized.btree.rebalance` and `muntin.optimized.btree.bulk_evict`.
"""

from muntin.optimized.btree.amortization import reserve


def pieces_of_a_split_are_legal(mu: int, arity: int) -> None:
    """S2: an overfull node is cut into pieces of at least mu and at most 2 mu."""
    assert 2 <= mu <= 4
    assert 2 * mu < arity <= 30

    count = max(2, arity // (mu + 1))
    assert mu <= arity // count
    assert (arity + count - 1) // count <= 2 * mu


def filled_nodes_are_legal(mu: int, node: int, sibling: int) -> None:
    """S2: a cut node and its sibling merge or share, and the cut one can spare a child."""
    assert 2 <= mu <= 8
    assert 1 <= node <= mu <= sibling <= 2 * mu

    both = node + sibling
    if both <= 2 * mu:
        assert both > mu
    else:
        assert mu < (both + 1) // 2 <= 2 * mu
        assert mu <= both // 2 <= 2 * mu


def a_split_pays_for_itself(mu: int, parent: int) -> None:
    """L2: the coins of a node that is one too large pay for its split, and for its parent."""
    assert 2 <= mu <= 8
    assert mu <= parent <= 2 * mu

    before = reserve(2 * mu + 1, mu, is_root=False) + reserve(parent, mu, is_root=False)
    halves = reserve(mu + 1, mu, is_root=False) + reserve(mu, mu, is_root=False)
    assert before >= 1 + halves + reserve(parent + 1, mu, is_root=False)


def a_merge_pays_for_itself(mu: int, parent: int) -> None:
    """L2: the coins of a node that is too small and of its sibling pay for their merge."""
    assert 2 <= mu <= 8
    assert mu <= parent <= 2 * mu

    pair = reserve(mu - 1, mu, is_root=False) + reserve(mu, mu, is_root=False)
    before = pair + reserve(parent, mu, is_root=False)
    merged = reserve(2 * mu - 1, mu, is_root=False)
    assert before >= 1 + merged + reserve(parent - 1, mu, is_root=False)


def an_item_is_billed_at_most_two(mu: int, arity: int, sibling: int) -> None:
    """L3: one entry more costs 2 coins at most, and one less with a move after it as well."""
    assert 2 <= mu <= 8
    assert mu <= arity <= 2 * mu
    assert mu < sibling <= 2 * mu

    coins = reserve(arity, mu, is_root=False)
    assert reserve(arity + 1, mu, is_root=False) - coins <= 2
    assert reserve(arity - 1, mu, is_root=False) - coins <= 1
    before = reserve(mu, mu, is_root=False) + reserve(sibling, mu, is_root=False)
    after = reserve(mu, mu, is_root=False) + reserve(sibling - 1, mu, is_root=False)
    assert 1 + after - before <= 2


def a_wide_split_pays_for_itself(mu: int, arity: int) -> None:
    """L2: the same for a node with many extra entries, at 2 for each entry of the parent."""
    assert 2 <= mu <= 4
    assert 2 * mu < arity <= 30

    count = max(2, arity // (mu + 1))
    smaller, larger = arity // count, arity % count
    pieces = larger * reserve(smaller + 1, mu, is_root=False)
    pieces += (count - larger) * reserve(smaller, mu, is_root=False)
    assert reserve(arity, mu, is_root=False) >= (1 + 2) * (count - 1) + pieces
