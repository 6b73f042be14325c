"""Real streams in the order in which they arrived, read from packages that ship them.

No data lives in the repository.
"""
