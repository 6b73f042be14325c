"""The specification: what every implementation must compute, and at what cost.

Read in this order. Algebra: monoid, aggregate, catalogue, laws. Streams: stream, dialect, measure.
Windows: window, periodic, data_driven, frames, user_defined, classify. Meaning: query, denotation,
operator. Structures: structure, cost.
"""
