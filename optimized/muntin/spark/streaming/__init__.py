"""A stream of micro-batches, in the ten stages of docs/architecture.md, "a micro-batch".

The driver plans (`call`, `stream_query`); a task before the shuffle makes a payload for each bucket
of keys (`shuffle_payload`); a task after it has a processor, which gives the rows of a bucket to
its operators, emits output rows, writes the state and sets a timer. Windows over a table that ends
belong to `batch`, the bytes of state to `state`.
"""
