"""Differential runs on Spark: traces made or read on executors, and Spark's own windows."""
