"""Everything that the machines, the vectors and the comparisons run over: the registry."""

from muntin.registry.implementations import OPERATORS, STRUCTURES

__all__ = ["OPERATORS", "STRUCTURES"]
