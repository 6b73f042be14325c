"""Operators for in-order streams: Panes, Pairs, Cutty [Carbone16], as slicing techniques.

A technique says where slices begin; trackers say which windows exist. Late events are refused:
out-of-order streams belong to `muntin.optimized.scotty`.
"""
