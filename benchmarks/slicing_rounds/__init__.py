"""The benchmark of slicing: operators over one stream, claims and page."""
