"""The state of a bucket as bytes in Spark's state store; runs in the task after the shuffle.

A bucket has one header (`state_header`: the value state) and chunks (`chunk_store`: the map state).
`Bucket.write_state` of `streaming.bucket` writes both. The chunks of a columnar bucket are its
operator's state (`operator_state`) split by time (`columnar_checkpoint`), its columns as bytes
(`column_codec`) and its keys. Nothing here decides when a window is emitted or a key expires.
"""
