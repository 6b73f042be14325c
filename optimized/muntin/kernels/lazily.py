"""Names of a package that are imported when they are asked for, since they need an extra."""

from collections.abc import Callable, Mapping
from importlib import import_module


def lazily(package: str, places: Mapping[str, str], extra: str) -> Callable[[str], object]:
    """Return what finds the names of a package in its modules, and says which extra is missing.

    >>> find = lazily("muntin.kernels", {"Summary": "summary"}, extra="kernels")
    >>> find("Summary").__module__
    'muntin.kernels.summary'
    """

    def find(name: str) -> object:
        if name not in places:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        try:
            return getattr(import_module(f"{package}.{places[name]}"), name)
        except ModuleNotFoundError as missing:
            raise ModuleNotFoundError(
                f"{package} needs {missing.name}: pip install 'muntin[{extra}]'", name=missing.name
            ) from missing

    return find
