"""General stream slicing out of order [Traub20]: queries and window types share slices.

`groups` ingest events, `slices` hold partial aggregates, `schedules` know edges, `emission` decides
what is output. `operator` is the step that calls them.
"""
