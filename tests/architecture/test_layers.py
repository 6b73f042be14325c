"""The imports that each layer may make (docs/architecture.md), and the shape of the namespace."""

import ast
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FOLDERS = ("spec", "reference", "optimized", "tools")
CORE = {"spec", "atomicity", "reference", "optimized", "snapshot", "kernels", "columnar"}
MORE = {"spark", "wire", "conformance", "registry", "console", "drawing", "audit", "matrix"}
TOOLS = CORE | MORE
MAY_IMPORT = {
    "spec": {"spec"},
    "atomicity": {"spec", "atomicity"},
    "reference": {"spec", "atomicity", "reference"},
    "wire": {"wire"},
    "conformance": {"spec", "atomicity", "reference", "conformance", "wire"},
    "optimized": {"spec", "atomicity", "snapshot", "optimized"},
    "snapshot": {"spec", "atomicity", "snapshot"},
    # kernels.slicing imports columnar, until it goes
    "kernels": {"spec", "atomicity", "optimized", "snapshot", "kernels", "columnar"},
    "columnar": {"spec", "atomicity", "optimized", "snapshot", "kernels", "columnar"},
    "spark": CORE | {"spark"},
    "registry": CORE | {"spark", "wire", "conformance", "registry"},
    "audit": CORE | {"conformance", "audit"},
    "matrix": {"spec", "wire", "conformance", "matrix"},
    "console": {"spec", "console"},
    "drawing": CORE | {"conformance", "registry", "drawing"},
    "differential": TOOLS | {"differential"},
    "explorer": TOOLS | {"explorer"},
    "cli": TOOLS | {"differential", "explorer", "cli"},
}
CALL_GRAMMAR = ("aggregate_requests", "arguments", "durations", "windows")
"""The modules by which calls over tables and over DataFrames read their arguments."""
LAZY_EXPORTS = "muntin.kernels.compiler.lazy_exports"
PYSPARK = {"spark", "conformance", "registry", "differential"}
PORTIONS = [
    path for folder in FOLDERS for path in (ROOT / folder / "muntin").iterdir() if path.is_dir()
]


def imported_modules(source: str, package: str) -> Iterator[str]:
    """Yield every module that a source imports, relative ones resolved.

    >>> sorted(imported_modules("from ..reference import recompute", "muntin.spec"))
    ['muntin.reference', 'muntin.reference.recompute']
    """
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        if isinstance(node, ast.ImportFrom):
            parts = package.split(".")
            base = parts[: len(parts) - node.level + 1] if node.level else []
            module = ".".join([*base, *([node.module] if node.module else [])])
            yield module
            yield from (f"{module}.{alias.name}" for alias in node.names)


def layers(source: str, package: str) -> set[str]:
    """The portions of muntin that a source imports."""
    names = (name.split(".") for name in imported_modules(source, package))
    return {parts[1] for parts in names if parts[0] == "muntin" and len(parts) > 1}


def portion_sources(portion: Path) -> Iterator[tuple[Path, str]]:
    """Yield each module of a portion with its package."""
    for path in sorted(portion.rglob("*.py")):
        inside = path.parent.relative_to(portion.parent.parent)
        yield path, ".".join(inside.parts)


@pytest.mark.parametrize(
    ("source", "layers_imported"),
    [
        ("import muntin.optimized", {"optimized"}),
        ("import muntin.optimized.btree.fiba as f", {"optimized"}),
        ("from muntin import optimized", {"optimized"}),
        ("from muntin.optimized import fiba", {"optimized"}),
        ("from . import errors", {"spec"}),
        ("from .errors import MuntinError", {"spec"}),
        ("from .. import cli", {"cli"}),
        ("from ..cli.registry import OPERATORS", {"cli"}),
        ("def f():\n    import muntin.spark", {"spark"}),
        ("import json, muntinous.spark", set[str]()),
    ],
)
def test_every_form_of_import_is_seen(source: str, layers_imported: set[str]) -> None:
    assert layers(source, "muntin.spec") == layers_imported


@pytest.mark.parametrize("portion", PORTIONS, ids=lambda path: path.name)
def test_a_portion_imports_only_what_it_may(portion: Path) -> None:
    assert portion.name in MAY_IMPORT, f"add {portion.name} to MAY_IMPORT"
    for path, package in portion_sources(portion):
        beyond = layers(path.read_text(), package) - MAY_IMPORT[portion.name]
        assert not beyond, f"{path} imports {', '.join(beyond)}"


def engine_imports(source: str, package: str) -> set[str]:
    """The modules and names of the columnar engine and of kernels that a source imports."""
    engine = ("muntin.columnar", "muntin.kernels")
    return {name for name in imported_modules(source, package) if name.startswith(engine)}


def test_spark_drives_the_engine_by_its_interface_alone() -> None:
    """The grammar of calls is that of `muntin.columnar.aggregate`; lazy exports know no engine."""
    [spark] = [path for path in PORTIONS if path.name == "spark"]
    interface = "muntin.columnar.embedding"
    shared = {f"muntin.columnar.{name}" for name in CALL_GRAMMAR} | {LAZY_EXPORTS}
    modules = {interface, "muntin.columnar"} | shared
    seen = set[str]()
    for path, package in portion_sources(spark):
        names = engine_imports(path.read_text(), package)
        seen |= names
        beyond = {name for name in names if name not in modules}
        beyond -= {name for name in names if name.rpartition(".")[0] in shared | {interface}}
        assert not beyond, f"{path} imports {', '.join(beyond)}"
    exported = {name.removeprefix(f"{interface}.") for name in seen if name.startswith(interface)}
    assert exported - {interface, "preload"} <= set(import_module(interface).__all__)
    assert f"{interface}.WindowEngine" in seen


@pytest.mark.parametrize("portion", PORTIONS, ids=lambda path: path.name)
def test_only_spark_and_its_adapters_import_pyspark(portion: Path) -> None:
    for path, package in portion_sources(portion):
        names = {name.split(".")[0] for name in imported_modules(path.read_text(), package)}
        assert "pyspark" not in names or portion.name in PYSPARK, path


@pytest.mark.parametrize("folder", FOLDERS)
def test_the_namespace_has_no_init(folder: str) -> None:
    assert not (ROOT / folder / "__init__.py").exists()
    assert [path.name for path in (ROOT / folder).iterdir() if path.suffix == ".py"] == []
    assert [path.name for path in (ROOT / folder / "muntin").iterdir() if path.is_file()] == []


@pytest.mark.parametrize("portion", PORTIONS, ids=lambda path: path.name)
def test_a_portion_is_a_typed_package(portion: Path) -> None:
    assert (portion / "__init__.py").is_file()
    assert (portion / "py.typed").is_file()
