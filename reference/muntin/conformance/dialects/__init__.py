"""Dialects by the names of engines, with their evidence; and which dialects explain an answer.

The search shares the decisions of `muntin.conformance.engines.inference`, which infers the dialect
of an engine that can be run. Here only one answer is known.
"""
