"""The benchmark of windows on Spark: batch and streaming, claims and page."""
