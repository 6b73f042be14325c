"""`muntin diff`: the same rows through several implementations, and every difference attributed.

What needs Spark is in `spark`, rows and traces in `inputs`.
"""
