"""Slices and their partial aggregates: edges, the slice manager, the aggregate stores [Traub20].

Algorithm 1, the next edge in order: `Edges.interval_at`. Algorithm 2, window edges: `edges`, and
`count_slices` in the count measure. Algorithm 3, which slices an event changes: `SliceManager.add`.
Algorithm 4, split: `SliceManager._add_slice`. Algorithms 5 and 6, fuse sessions or extend one at
its start: `SliceManager._merge_slices`. What is emitted of slices is decided in `emission`, what is
evicted in `retention`.
"""
