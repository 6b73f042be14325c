"""The specification: what every implementation must compute, and at what cost."""
