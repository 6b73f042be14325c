"""The call `aggregate`, on the driver: its arguments are analyzed and made a plan.

Errors in a call are raised here, before Spark runs anything. The grammar of arguments
is in `muntin.columnar`, which shares it; how a plan is executed belongs to `batch` and `streaming`.
"""
