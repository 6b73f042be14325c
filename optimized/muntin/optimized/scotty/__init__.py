"""General stream slicing out of order [Traub20]: queries and window types share slices.

`operator` takes a step: it calls the `groups`, which ingest events into `slices` and ask the window
managers of `emission` for results. `schedules` know the edges of windows. `retention` decides which
slices are evicted or merged, `eviction_rules` which stored tuples are evicted. `query_plan` chooses
the group of a query by its `workload`. Algorithms 1 to 6 are listed in `slices`.
"""
