"""What kernels are given and hand on: arrays, in tuples that are known by name."""

from typing import Generic, NamedTuple

from muntin.kernels.compiler.kernel_api import A, Column, IntRows, Ints, Rows


class TreeArrays(NamedTuple, Generic[A]):
    """All that a tree is."""

    s: Ints  # scalars, and rows by level
    inner: IntRows  # a row a node: children, keys, arity, mask
    folds: Rows[A]  # a row a node: the fold of each child that is on no spine, unless masked
    times: IntRows  # a row a leaf: times, and how many
    leaves: Rows[A]  # a row a leaf: values
    ends: Rows[A]  # folds of what lies on the spines and in the leaves at the ends


class SortedBatch(NamedTuple, Generic[A]):
    """Entries to insert."""

    times: Ints
    values: Column[A]


class LeafSlot(NamedTuple):
    """Where a part of a batch goes: a leaf, and the times that belong there."""

    leaf: int
    limit: int
    limit_belongs: bool
