"""Records: a row for each event, in a tree for each key, by time and arrival.

They serve windows whose edges depend on single events: rolling windows, windows of counted events,
and those between punctuations. A window is a range of rows, which nodes of the tree fold; what a
late row changes is found by searching, so a step costs its rows and the windows that it reports.
"""
