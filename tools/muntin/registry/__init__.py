"""Every implementation by name, with what it supports: what `--with` names.

Tests, the command line and differential runs look implementations up here. Nothing here prints.
"""
