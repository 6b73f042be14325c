"""Arguments of kernels: arrays in named tuples."""

from typing import Generic, NamedTuple

from muntin.kernels.compiler.kernel_api import A, Column, IntRows, Ints, Rows


class TreeArrays(NamedTuple, Generic[A]):
    """All arrays of a tree."""

    s: Ints  # scalars, and rows by level
    inner: IntRows  # a row per node: children, keys, arity, mask
    folds: Rows[A]  # a row per node: the fold of each child on no spine, unless masked
    times: IntRows  # a row per leaf: times and their number
    leaves: Rows[A]  # a row per leaf: values
    ends: Rows[A]  # folds of the spines and of the leaves at the ends


class SortedBatch(NamedTuple, Generic[A]):
    """Entries to insert."""

    times: Ints
    values: Column[A]


class LeafSlot(NamedTuple):
    """A leaf and the limit of the times that belong to it."""

    leaf: int
    limit: int
    limit_belongs: bool
