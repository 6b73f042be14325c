"""Rows of a differential run: generated traces, Parquet files, the flights."""
