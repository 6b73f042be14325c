"""The conformance kit: it holds an implementation to the specification.

Transcripts, state machines, random traces and real streams. It needs the specification and the
reference, and no optimized code.
"""
