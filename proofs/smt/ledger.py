"""Lemma 9 of [Tangwongsan19]: rebalancing is paid with two coins an item, whatever the arity.

Model: a node is its arity, from 1 to its size before a split, and whether it is the root; the
smallest arity mu is any integer from 2 on, the largest is 2 mu. `coins` is `reserve` of
`muntin.optimized.btree.amortization` as a formula; tests/proofs/test_smt.py compares the two. A
step takes the arities of the nodes it changes to new ones, and spends a coin. In words:
proofs/amortization.md.
"""

from z3 import And, ArithRef, Bool, BoolRef, BoolVal, If, Implies, Int, Ints, IntVal, Not, Or

from evidence.theorem import Statement, Theorem

MU = Int("mu")
NODE, PARENT, SIBLING = Ints("node parent sibling")
TWO = IntVal(2)
ROOT = Bool("the parent is the root")
NO_ROOT, THE_ROOT = BoolVal(False), BoolVal(True)  # noqa: FBT003 - Z3 wants them so
VALID_ARITY = MU >= 2
ABOVE = And(VALID_ARITY, PARENT <= 2 * MU, If(ROOT, PARENT >= 2, PARENT >= MU))
STAYS = And(ABOVE, Implies(ROOT, PARENT >= 3))  # else the merged node becomes the root


def coins(arity: ArithRef, is_root: BoolRef = NO_ROOT) -> ArithRef:
    """The coins of a node of this arity."""
    small = If(Or(is_root, arity > MU), 0, If(arity == MU, 1, If(arity < MU, 2, 0)))
    return If(arity >= 2 * MU, 2 + 2 * (arity - 2 * MU), small)


def legal(arity: ArithRef) -> BoolRef:
    """Whether a node that is not the root may have this arity."""
    return And(arity >= MU, arity <= 2 * MU)


def an_entry_more_is_billed_two() -> Theorem:
    """L3: a node that gains an entry is owed two coins at most."""
    given = And(VALID_ARITY, NODE >= 1, NODE <= 2 * MU, Implies(Not(ROOT), NODE >= MU))
    owed = coins(NODE + 1, ROOT) - coins(NODE, ROOT)
    return Theorem(given, owed <= 2, {"one coin is enough": Statement(given, owed <= 1)})


def an_entry_less_is_billed_one() -> Theorem:
    """L3: a node that loses an entry is owed one coin at most."""
    given = And(VALID_ARITY, NODE >= 2, NODE <= 2 * MU, Implies(Not(ROOT), NODE >= MU))
    owed = coins(NODE - 1, ROOT) - coins(NODE, ROOT)
    return Theorem(given, owed <= 1, {"it costs nothing": Statement(given, owed <= 0)})


def a_split_pays_for_itself() -> Theorem:
    """L2: the coins of an overfull node pay for its split, both halves and the parent's entry."""
    before = coins(2 * MU + 1) + coins(PARENT, ROOT)
    after = coins(MU + 1) + coins(MU) + coins(PARENT + 1, ROOT)
    as_printed = after + 1
    return Theorem(
        ABOVE,
        before >= 1 + after,
        {
            "one coin less on the overfull node": Statement(ABOVE, before - 1 >= 1 + after),
            "as printed, the younger half needs two": Statement(ABOVE, before >= 1 + as_printed),
        },
    )


def growing_pays_for_itself() -> Theorem:
    """L2: the coins of an overfull root pay for its split and for the new root."""
    halves = coins(MU + 1) + coins(MU)
    then = coins(2 * MU + 1, THE_ROOT) >= 1 + 1 + halves + coins(TWO, THE_ROOT)
    three = coins(2 * MU + 1, THE_ROOT) - 2 >= 1 + 1 + halves
    return Theorem(VALID_ARITY, then, {"two coins are enough": Statement(VALID_ARITY, three)})


def a_merge_pays_for_itself() -> Theorem:
    """L2: the coins of a node that is too small and its neighbour pay for their merge."""
    before = coins(MU - 1) + coins(MU) + coins(PARENT, ROOT)
    after = coins(2 * MU - 1) + coins(PARENT - 1, ROOT)
    poorer = before - coins(MU)
    return Theorem(
        STAYS,
        before >= 1 + after,
        {
            "one coin less on the small node": Statement(STAYS, before - 2 >= 1 + after),
            "no coin on a node of the smallest arity": Statement(STAYS, poorer - 1 >= 1 + after),
        },
    )


def shrinking_pays_for_itself() -> Theorem:
    """L2: where the merge leaves the root a single child, that child becomes the root."""
    before = coins(MU - 1) + coins(MU) + coins(TWO, THE_ROOT)
    then = before >= 1 + 1 + coins(2 * MU - 1, THE_ROOT)
    more = before >= 1 + 1 + 2 + coins(2 * MU - 1, THE_ROOT)
    return Theorem(VALID_ARITY, then, {"two coins are left": Statement(VALID_ARITY, more)})


def a_move_is_billed_one() -> Theorem:
    """L3: a move is short of one coin at most, and the parent stays as it was."""
    given = And(VALID_ARITY, SIBLING > MU, SIBLING <= 2 * MU)
    before = coins(MU - 1) + coins(SIBLING)
    after = coins(MU) + coins(SIBLING - 1)
    return Theorem(
        given,
        before + 1 >= 1 + after,
        {"as printed, the coins of the node are enough": Statement(given, before >= 1 + after)},
    )


def rebalancing_leaves_legal_nodes() -> Theorem:
    """S2: the halves of a split, a merged node and both nodes of a move are of a legal arity."""
    given = And(VALID_ARITY, legal(SIBLING))
    split = And(legal(MU + 1), legal(MU))
    merged = Implies(SIBLING == MU, legal(MU - 1 + SIBLING))
    moved = Implies(SIBLING > MU, And(legal(MU), legal(SIBLING - 1)))
    always_move = And(legal(MU), legal(SIBLING - 1))
    return Theorem(
        given,
        And(split, merged, moved),
        {
            "a node may always be taken from": Statement(given, always_move),
            "nodes may always be merged": Statement(given, legal(MU - 1 + SIBLING)),
        },
    )


def pieces_of_a_wide_split_are_legal() -> Theorem:
    """S2: as many pieces as `rebalance.split` makes of an overfull node are of a legal arity."""
    count = Int("count")
    some = And(count >= 2, count * (MU + 1) <= NODE, (count + 1) * (MU + 1) > NODE)
    two = And(count == 2, NODE < 3 * (MU + 1))
    given = And(VALID_ARITY, NODE > 2 * MU, Or(some, two))
    then = And(MU * count <= NODE, 2 * MU * count >= NODE)
    by_mu = And(VALID_ARITY, NODE > 2 * MU, count * MU <= NODE, (count + 1) * MU > NODE, count >= 2)
    wider = MU * count < NODE
    return Theorem(
        given,
        then,
        {
            "each piece has one to spare": Statement(given, (MU + 1) * count <= NODE),
            "as many pieces as of mu each": Statement(by_mu, wider),
        },
    )


def steps_are_at_most_twice_the_calls() -> Theorem:
    """L3: if each call is billed two and spends what it leaves, so do all of them (induction)."""
    calls, spent, held, now, left, bill = Ints("calls spent held now left bill")
    before = And(calls >= 0, held >= 0, spent >= 0, now >= 0, spent + held <= 2 * calls)
    given = And(before, left >= 0, left + now <= held + bill, bill <= 2)
    then = And(spent + now + left <= 2 * (calls + 1), spent + now <= 2 * (calls + 1))
    debt = And(before, left + now <= held + bill, bill <= 2)
    more = And(before, left >= 0, left + now <= held + bill, bill <= 3)
    return Theorem(
        given,
        then,
        {"nodes may owe": Statement(debt, then), "a bill of three": Statement(more, then)},
    )
