"""A streaming and batch data source that replays a trace, for tests and examples.

It starts without Numba: planning and reading a source need no kernels.
"""
