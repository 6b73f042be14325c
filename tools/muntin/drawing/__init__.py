"""Structures as SVG, step by step: scenes, layouts and pages for `muntin draw`."""
