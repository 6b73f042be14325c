"""The source of the finger B+-tree, bound to one monoid at a time by muntin.kernels.modules."""
