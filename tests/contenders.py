"""Everything that the machines, the vectors and the comparisons run over: the registry."""

from muntin.cli.registry import OPERATORS, STRUCTURES

__all__ = ["OPERATORS", "STRUCTURES"]
