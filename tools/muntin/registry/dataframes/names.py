"""The names of those that answer all rows of a DataFrame at once."""

SPARK, TABLE, WINDOWS = "spark", "kernels-table", "spark-native"
"""`muntin.spark.aggregate` in batch, `muntin.columnar.aggregate`, and Spark's own windows."""
WHOLES = (SPARK, TABLE, WINDOWS)
