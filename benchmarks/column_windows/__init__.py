"""The slicing operator over columns: throughput by windows, disorder, batch and keys."""
