"""Window managers: which windows of a query are emitted, updated or retracted in a step.

They read slices and never change them.
"""
