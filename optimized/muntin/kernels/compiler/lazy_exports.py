"""Names of a package that are imported when they are asked for, since they need an extra."""

from collections.abc import Callable, Mapping
from importlib import import_module


def lazy_exports(package: str, places: Mapping[str, str], extra: str) -> Callable[[str], object]:
    """Return what finds the names of a package in its modules, and says which extra is missing.

    >>> modules = {"NumericAggregate": "muntin.kernels.compiler.numeric_aggregate"}
    >>> find = lazy_exports("muntin.columnar", modules, extra="kernels")
    >>> find("NumericAggregate").__module__
    'muntin.kernels.compiler.numeric_aggregate'
    """

    def find(name: str) -> object:
        if name not in places:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        try:
            return getattr(import_module(places[name]), name)
        except ModuleNotFoundError as missing:
            raise ModuleNotFoundError(
                f"{package} needs {missing.name}: pip install 'muntin[{extra}]'", name=missing.name
            ) from missing

    return find
