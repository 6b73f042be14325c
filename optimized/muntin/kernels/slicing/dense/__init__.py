"""Slices of one key in arrays without holes: compiled kernels for ingest, sealing and windows."""
