"""Window trackers: each follows the windows of one type over an in-order stream.

A tracker says when windows begin and end. Slices and partial aggregates belong to the operator.
"""
