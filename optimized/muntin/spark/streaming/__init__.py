"""Streaming: from the rows of a micro-batch to the shuffle, into buckets, and out as result rows.

`stream_query` is the driver side; before the shuffle run `pre_aggregation` and `shuffle_payload`,
after it `processor` and the buckets. The bytes of state belong to `state`.
"""
