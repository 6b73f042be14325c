"""The algorithms over columns: compiled by Numba where it is there, else run as they are."""
