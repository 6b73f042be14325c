"""Transcripts: traces and calls as JSON, read, written, replayed, and compared with expectations.

The schema is beside the reader. What is random belongs to `fuzz`, what is a state machine to
`machines`.
"""
