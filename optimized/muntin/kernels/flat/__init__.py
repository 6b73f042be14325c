"""Kernel sources of FiBA in flat arrays."""
