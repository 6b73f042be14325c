"""Kernels for one monoid: a module made of the kernel sources and the functions of the monoid.

Numba caches compiled code on disk by file. A file shared by two monoids would serve one the code of
the other, and an imported function would go stale unnoticed; so one file, named by its hash, holds
all that a kernel depends on. To ship the cache, copy the folder; on another type of processor
Numba's own key makes it compile again.
"""

import ast
import os
import sys
from collections.abc import Callable, Sequence
from functools import lru_cache
from hashlib import blake2b
from importlib.abc import InspectLoader
from importlib.machinery import ModuleSpec
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from tempfile import NamedTemporaryFile
from types import CodeType, ModuleType

from muntin.kernels.compiler.jit import compiler_version
from muntin.kernels.compiler.numeric_aggregate import NumericAggregate
from muntin.kernels.compiler.source_closure import SourceClosure

KERNELS_FOLDER = Path(__file__).parents[1]
FINGER_BTREE_SOURCES = tuple(
    f"finger_btree/{name}"
    for name in (
        "layout", "search", "lazy_folds", "nodes", "insertion", "eviction", "range_query",
        "bulk_insert", "entry_points",
    )
)  # fmt: skip
COLUMN_SOURCES = ("aggregator/column_kernels",)
KERNEL_API_MODULE = "muntin.kernels.compiler.kernel_api"
FIXED_MTIME = 315_532_800
"""The modification time of all files: the cache of Numba compares it."""


@lru_cache
def joined_sources(names: tuple[str, ...]) -> str:
    """Kernel sources as one text, without imports from each other."""
    within = {KERNEL_API_MODULE, *(f"muntin.kernels.{name.replace('/', '.')}" for name in names)}
    kept: list[str] = []
    for name in names:
        text = (KERNELS_FOLDER / f"{name}.py").read_text()
        lines, (docstring, *body) = text.splitlines(), ast.parse(text).body
        imports = [
            node for node in body if isinstance(node, ast.ImportFrom) and node.module in within
        ]
        for node in reversed([docstring, *imports]):
            del lines[node.lineno - 1 : node.end_lineno]
        kept += lines
    return "\n".join([*kept, ""])


def prelude(cap: int, fan: int) -> str:
    """Imports and constants that do not depend on the monoid."""
    return (
        f"from {KERNEL_API_MODULE} import A, Column, Columns, IntRows, Ints, Rows\n"
        "from muntin.kernels.compiler.jit import fetch, inlined, kernel, outlined\n"
        "from muntin.kernels.compiler.jit import signed, trailing_zeros, unsigned\n"
        f"CAP, FAN = {cap}, {fan}\n"
    )


def partial_accessors(fields: int) -> str:
    """Functions that load and store a partial: a number, or the fields of a record."""
    names = [f"f{k}" for k in range(fields)]
    read = ", ".join(f"r['{name}']" for name in names)
    write = "; ".join(f"r['{name}'] = value[{k}]" for k, name in enumerate(names))
    lines: list[str] = []
    for name, parameters in (("", "rows, row, at"), ("_one", "rows, at")):
        index = parameters.removeprefix("rows, ")
        if fields == 1:
            load, store = f"return (rows[{index}],)", f"rows[{index}] = value[0]"
        else:
            load, store = f"r = rows[{index}]; return ({read})", f"r = rows[{index}]; {write}"
        lines += [f"@inlined\ndef load{name}({parameters}): {load}"]
        lines += [f"@inlined\ndef store{name}({parameters}, value): {store}"]
    return "\n".join([*lines, ""])


def source_for(summary: NumericAggregate, names: tuple[str, ...], cap: int, fan: int) -> str:
    """The source text of kernels for an aggregate."""
    closure = SourceClosure()
    functions = {
        name: closure.add_function(function)
        for name, function in (
            ("lift", summary.lift), ("combine", summary.combine), ("lower", summary.lower),
        )
    }  # fmt: skip
    inputs = ", ".join(f"columns[{k}][at]" for k in range(max(1, len(summary.columns))))
    outputs = "; ".join(f"columns[{k}][at] = r[{k}]" for k in range(len(summary.results)))
    lower = f"r = {functions['lower']}(value); {outputs}"
    return "\n".join(
        [
            f"# Kernels for {summary.name!r}, specialized with {compiler_version()}.",
            "from math import inf, nan",
            prelude(cap, fan),
            closure.text,
            *(f"{name} = {new_name}" for name, new_name in functions.items()),
            partial_accessors(len(summary.fields)),
            f"@inlined\ndef lift_at(columns, at): return {functions['lift']}({inputs})",
            f"@inlined\ndef lower_at(columns, at, value): {lower}",
            joined_sources(names),
        ]
    )


def compiled_module(
    summary: NumericAggregate, names: tuple[str, ...], cap: int, fan: int
) -> ModuleType:
    """A module of kernels that are compiled at their first call, and cached on disk."""
    return written_module(source_for(summary, names, cap, fan))


def written_module(text: str) -> ModuleType:
    """The module of a text, in a file that is named by the hash of the text."""
    digest = blake2b(f"{sys.version}\n{text}".encode(), digest_size=16).hexdigest()
    name = f"muntin_kernels_{digest}"
    if name not in sys.modules:
        spec = spec_from_file_location(name, _write_module(cache_folder() / f"{name}.py", text))
        if spec is None or spec.loader is None:
            raise ImportError(name)
        module = module_from_spec(spec)
        sys.modules[name] = module
        spec.loader.exec_module(module)
    return sys.modules[name]


def cache_folder() -> Path:
    """The folder of generated modules and compiled code: MUNTIN_KERNELS, if it is set."""
    base = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    folder = Path(os.environ.get("MUNTIN_KERNELS") or Path(base, "muntin", "kernels"))
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def _write_module(path: Path, text: str) -> Path:
    """Write a text to a file atomically, with the fixed modification time."""
    if not path.exists() or path.read_text() != text:
        with NamedTemporaryFile("w", dir=path.parent, suffix=".part", delete=False) as part:
            part.write(text)
        Path(part.name).replace(path)
    if path.stat().st_mtime != FIXED_MTIME:
        os.utime(path, (FIXED_MTIME, FIXED_MTIME))
    return path


class _InterpretedLoader(InspectLoader):
    """Loads kernel sources for interpretation, over values of any type."""

    def __init__(self, names: tuple[str, ...], cap: int, fan: int) -> None:
        self._names, self._cap, self._fan = names, cap, fan

    def get_source(self, fullname: str) -> str:
        """The text, in which only `combine` is undefined."""
        del fullname
        return (
            f"from {KERNEL_API_MODULE} import A, Column, Columns, IntRows, Ints, Rows, fetch\n"
            f"from {KERNEL_API_MODULE} import inlined, kernel, load, load_one, outlined\n"
            f"from {KERNEL_API_MODULE} import signed, store, store_one, trailing_zeros, unsigned\n"
            f"CAP, FAN = {self._cap}, {self._fan}\n{joined_sources(self._names)}"
        )

    def get_code(self, fullname: str) -> CodeType | None:
        """The code, which is shared by all monoids."""
        return _code(self.get_source(fullname))


@lru_cache
def _code(text: str) -> CodeType:
    return InspectLoader.source_to_code(text, "<muntin.kernels, uncompiled>")


def interpreted_module(
    combine: Callable[..., object], names: Sequence[str], cap: int, fan: int
) -> ModuleType:
    """A module of interpreted kernels."""
    loader = _InterpretedLoader(tuple(names), cap, fan)
    module = module_from_spec(ModuleSpec("muntin_kernels_uncompiled", loader))
    loader.exec_module(module)
    vars(module)["combine"] = combine
    return module
