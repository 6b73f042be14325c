"""Slices and their partial aggregates: edges, the slice manager, the aggregate stores [Traub20].

Algorithms 3 to 6 are here. Which windows are emitted is decided in `emission`.
"""
