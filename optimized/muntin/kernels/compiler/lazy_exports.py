"""Exports of a package that are imported at first use, since they need an extra."""

from collections.abc import Callable, Mapping
from importlib import import_module


def lazy_exports(package: str, modules: Mapping[str, str], extra: str) -> Callable[[str], object]:
    """A module `__getattr__` that imports a name from its module, or names the missing extra.

    >>> modules = {"NumericAggregate": "muntin.kernels.compiler.numeric_aggregate"}
    >>> find = lazy_exports("muntin.columnar", modules, extra="kernels")
    >>> find("NumericAggregate").__module__
    'muntin.kernels.compiler.numeric_aggregate'
    """

    def find(name: str) -> object:
        if name not in modules:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        try:
            return getattr(import_module(modules[name]), name)
        except ModuleNotFoundError as missing:
            raise ModuleNotFoundError(
                f"{package} needs {missing.name}: pip install 'muntin[{extra}]'", name=missing.name
            ) from missing

    return find
