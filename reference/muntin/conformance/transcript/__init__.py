"""Transcripts: traces and calls as JSON, read, written, replayed, and compared with expectations.

The schema is beside the reader. Random traces belong to `fuzz`, state machines to
`machines`.
"""
