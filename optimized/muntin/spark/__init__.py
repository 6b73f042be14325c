"""Windows on Spark. Only what is in here knows pyspark."""
