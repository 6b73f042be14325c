"""Hypothesis state machines that run an operator or a structure in lockstep with its definition.

The strategies and random choices that they share live here, and the injection of faults. Nothing
here reads or writes JSON.
"""
