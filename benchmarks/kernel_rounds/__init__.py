"""The benchmark of the kernels: rounds over columns, claims and page."""
