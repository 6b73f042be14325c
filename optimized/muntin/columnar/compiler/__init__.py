"""Machine code of the kernels of the columnar engine: compiled, kept as libraries, loaded.

Kernels are written in `muntin.columnar.engine`. A library is made once for a set of sources, for
the versions that it was made with and for a processor, and is loaded without Numba. What lives here
knows kernels by their names and signatures only.
"""
