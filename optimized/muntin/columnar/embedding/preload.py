"""Code loaded ahead, for processes that are forked: each starts with it."""

from importlib import import_module

from muntin.columnar.compiler.kernel_store import kernel_store
from muntin.kernels.compiler.availability import COMPILED


def preload() -> None:
    """Load the engine, and Numba too where kernels have to be compiled; neither leaves threads."""
    import_module("muntin.columnar.operator")
    if COMPILED and not kernel_store().has_catalogue:
        import_module("numba")
