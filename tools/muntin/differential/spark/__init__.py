"""The part of a differential run that needs Spark: sessions, native windows, DataFrames, streams.

Imported only when a run names an implementation on Spark.
"""
