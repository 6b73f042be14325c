"""The matrix of engines: what the windows of each are, as runs have shown.

Records are made here by running engines, and written as JSON and as one page that loads nothing.
"""
