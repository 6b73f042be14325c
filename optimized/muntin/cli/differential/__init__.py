"""Differential runs: many traces through many implementations, at any scale.

What is here needs no Spark: `muntin.spark.differential` only brings the traces.
"""
