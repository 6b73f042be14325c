"""The smallest trees of each form: tests that share them share what is compiled for them."""

from muntin.kernels.columns import TreeForm
from muntin.kernels.engine import Shape
from muntin.kernels.flat_fiba import shape_of

TINY: dict[TreeForm, Shape] = {"b+tree": Shape(4, 4), "fiba": shape_of(2)}
