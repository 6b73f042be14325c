"""Windows over columns: cells in order, windows as ranges of cells, what changed, what to keep."""
