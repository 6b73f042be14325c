"""The call `aggregate`, on the driver: its arguments are parsed, analyzed and made a plan.

Errors in a call are raised here, before Spark runs anything. How a plan is executed belongs to
`batch` and `streaming`.
"""
