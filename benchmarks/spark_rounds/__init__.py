"""Windows on Spark: what is measured, and what it shows."""
