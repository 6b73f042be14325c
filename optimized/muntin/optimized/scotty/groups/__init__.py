"""Query groups: queries that share one kind of slices, by time, by count or over stored tuples.

A group ingests events for all its queries and keys; the state of one key is a `KeyState`.
"""
