"""Aggregates: monoids, catalogue, and the laws that declared facts obey. No time, no windows."""
