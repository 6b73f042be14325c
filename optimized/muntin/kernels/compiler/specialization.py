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

from muntin.kernels.compiler.availability import COMPILED, compiler_version
from muntin.kernels.compiler.numeric_aggregate import NumericAggregate
from muntin.kernels.compiler.source_closure import SourceClosure

KERNELS_FOLDER = Path(__file__).parents[1]
FINGER_BTREE_SOURCES = tuple(
    f"finger_btree/{name}"
    for name in (
        "layout", "search", "lazy_folds", "nodes", "immediate_folds", "insertion", "eviction",
        "range_query", "bulk_insert", "entry_points",
    )
)  # fmt: skip
COLUMN_SOURCES = ("aggregator/column_kernels",)
KERNEL_API_MODULE = "muntin.kernels.compiler.kernel_api"
TABLES = KERNELS_FOLDER / "compiler" / "tables.py"
"""What kernels import and Numba compiles into them: a part of what they depend on."""
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


def prelude(cap: int, fan: int, *, commutative: bool) -> str:
    """Imports and constants that do not depend on the monoid."""
    return (
        f"from {KERNEL_API_MODULE} import A, Column, Columns, IntRows, Ints, Rows\n"
        "from muntin.kernels.compiler.jit import inlined, kernel, outlined\n"
        "from muntin.kernels.finger_btree.records import TreeArrays\n"
        f"{template_constants(cap, fan, commutative=commutative)}\n"
    )


def template_constants(cap: int, fan: int, *, commutative: bool) -> str:
    """The assignment of the constants of `kernel_api`."""
    return f"CAP, FAN, COMMUTATIVE = {cap}, {fan}, {commutative}"


def array_accessors(kinds: Sequence[str], name: str, index: str) -> str:
    """Functions that load and store a partial in an array: a number, or a record."""
    load, store = f"return (rows[{index}],)", f"rows[{index}] = value[0]"
    if len(kinds) > 1:
        read = ", ".join(f"r['f{k}']" for k in range(len(kinds)))
        write = "; ".join(f"r['f{k}'] = value[{k}]" for k in range(len(kinds)))
        load, store = f"r = rows[{index}]; return ({read})", f"r = rows[{index}]; {write}"
    return (
        f"@inlined\ndef load{name}(rows, {index}): {load}\n"
        f"@inlined\ndef store{name}(rows, {index}, value): {store}\n"
    )


def table_accessors(kinds: Sequence[str]) -> str:
    """Functions that make tables, and that load and store a partial in one, field by field."""
    fields = list(enumerate(kinds))
    reads = ", ".join(f"read_{k}(rows, row, at)" for k, _ in fields)
    writes = "; ".join(f"write_{k}(rows, row, at, value[{k}])" for k, _ in fields)
    return "\n".join(
        [
            "from muntin.kernels.compiler.tables import fetch, trailing_zeros",
            "from muntin.kernels.compiler.tables import reader, table_maker, writer",
            f"int_table, partial_table = table_maker(1), table_maker({len(kinds)})",
            *(f"read_{k} = reader({k}, {kind!r})" for k, kind in fields),
            *(f"write_{k} = writer({k}, {kind!r})" for k, kind in fields),
            f"@inlined\ndef load(rows, row, at): return ({reads},)",
            f"@inlined\ndef store(rows, row, at, value): {writes}",
            "",
        ]
    )


def partial_accessors(kinds: Sequence[str]) -> str:
    """The functions that kernels work on partials with; without a compiler, in plain arrays."""
    uncompiled = (
        f"from {KERNEL_API_MODULE} import fetch, int_table, partial_table, trailing_zeros\n"
        + array_accessors(kinds, "", "row, at")
    )
    rows = table_accessors(kinds) if COMPILED else uncompiled
    return rows + array_accessors(kinds, "_one", "at")


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
            f"# Kernels for {summary.name!r}, specialized with {compiler_version()},",
            f"# over tables {blake2b(TABLES.read_bytes(), digest_size=8).hexdigest()}.",
            "from math import inf, nan",
            prelude(cap, fan, commutative=summary.commutative),
            closure.text,
            *(f"{name} = {new_name}" for name, new_name in functions.items()),
            partial_accessors(summary.fields),
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

    def __init__(self, names: tuple[str, ...], constants: str) -> None:
        self._names, self._constants = names, constants

    def get_source(self, fullname: str) -> str:
        """The text, in which only `combine` is undefined."""
        del fullname
        return (
            f"from {KERNEL_API_MODULE} import A, Column, Columns, IntRows, Ints, Rows, fetch\n"
            f"from {KERNEL_API_MODULE} import int_table, partial_table\n"
            "from muntin.kernels.finger_btree.records import TreeArrays\n"
            f"from {KERNEL_API_MODULE} import inlined, kernel, load, load_one, outlined\n"
            f"from {KERNEL_API_MODULE} import store, store_one, trailing_zeros\n"
            f"{self._constants}\n{joined_sources(self._names)}"
        )

    def get_code(self, fullname: str) -> CodeType | None:
        """The code, which is shared by all monoids."""
        return _code(self.get_source(fullname))


@lru_cache
def _code(text: str) -> CodeType:
    return InspectLoader.source_to_code(text, "<muntin.kernels, uncompiled>")


def interpreted_module(
    combine: Callable[..., object],
    names: Sequence[str],
    cap: int,
    fan: int,
    *,
    commutative: bool = False,
) -> ModuleType:
    """A module of interpreted kernels."""
    constants = template_constants(cap, fan, commutative=commutative)
    loader = _InterpretedLoader(tuple(names), constants)
    module = module_from_spec(ModuleSpec("muntin_kernels_uncompiled", loader))
    loader.exec_module(module)
    vars(module)["combine"] = combine
    return module
