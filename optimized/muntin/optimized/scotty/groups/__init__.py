"""Query groups: queries that share one kind of slices ingest events, and emit, together.

`time_group`: slices that follow from the time of an event; sessions too.
`count_group`: slices of ranks. `in_order_group`: slices of Cutty. `tuple_group`: slices that store
tuples, for windows that tuples make or move. The state of one key is in the `key_state` modules.
"""
