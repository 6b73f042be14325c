"""The state of buckets as bytes in Spark's state store: header, chunks, keys.

Nothing here decides when a window is emitted or a key is dropped.
"""
