"""Audits: the rows and the windows of a real job, and the rule and clock that explain them.

Tables are read here, rules are searched, windows are compared and blamed. The rows run through
`muntin.columnar.aggregate`; where its windows and those of the job differ, the denotation decides.
"""
