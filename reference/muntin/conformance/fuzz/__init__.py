"""Random traces through operators without Hypothesis, and the shrinking of traces that fail.

What a trace is and how it is compared belongs to `transcript`.
"""
