"""Libraries of kernels: what names them, what is refused, who builds them, and first use."""

import ast
import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from io import StringIO
from pathlib import Path
from shutil import copytree
from threading import Thread
from types import ModuleType

import numpy as np
import pytest

from muntin.columnar import build
from muntin.columnar.compiler import cache_key, kernel_store, library, machine_code
from muntin.columnar.compiler.kernel_store import QUIET, KernelStore
from muntin.columnar.compiler.processor import HostProcessor, parse_cpu_info
from muntin.columnar.engine import directory as d
from muntin.columnar.engine.directory import Directory
from muntin.columnar.engine.kernel_language import Kernel, Phase, ints
from muntin.spec.errors import UnsupportedError
from support.one_key_engine import one_key_sums

SMALL = """
import sys
from muntin.columnar.compiler.kernel_store import kernel_store
from muntin.columnar.engine.kernel_language import Kernel, ints

def twice(t, n):
    return ints(t, 0)[n] * 2

kernel = Kernel(twice, "test.twice")
assert kernel.address
print(kernel_store().compiled, "numba" in sys.modules)
"""

ONE_KEY = """
import sys
if len(sys.argv) > 1:
    sys.modules["numba"] = sys.modules["llvmlite"] = None
from support.one_key_engine import one_key_sums
from muntin.columnar.compiler.kernel_store import kernel_store
from muntin.columnar.engine.kernel_language import COMPILED
print(one_key_sums(), COMPILED, kernel_store().compiled, "numba.core" in sys.modules)
"""

FIRST_USE = """
import sys
import numpy as np
from muntin.columnar import ColumnarOperator, aggregate, tumbling
from muntin.columnar.compiler.kernel_store import kernel_store
from muntin.spec.algebra.catalogue import named
from muntin.spec.query import Query
operator = ColumnarOperator()
operator.add(Query("w", tumbling(10), named("sum")))
times = np.arange(40)
lines = [*map(int, operator.take_columns(times, times, None, 40).of("w").value.columns[0])]
call = {"windows": [tumbling(10)], "aggregates": {"sum": ("sum", "v")}}
table = aggregate({"ts": times, "v": times}, **call)
assert table["sum"].tolist() == lines and table["end"].tolist() == [10, 20, 30, 40]
slow = ("numba", "llvmlite", "pandas", "pyarrow.compute")
print(lines, kernel_store().compiled, [name for name in slow if name in sys.modules])
"""

COUNTED = """
from numba.core import event
from support.one_key_engine import one_key_sums
with event.install_recorder("numba:compile") as recorder:
    one_key_sums()
print(sum(one.is_start for _, one in recorder.buffer))
"""
MOST_FUNCTIONS = 80
"""Functions that Numba may compile for sums of one key; more, and first use is slow."""

ONE_KEY_KERNELS = {
    "cells.place_lanes", "emission.emit_lanes", "emission.seal_lanes", "partials.sums.add_int_sum",
    "partials.columns.copy_columns", "partials.columns.merge_int_sums",
    "partials.columns.prefix_int_sums", "partials.columns.range_int_sums", "step.admit",
    "step.find_windows", "step.run_step", "release.release_slices", "release.release_rows",
}  # fmt: skip


def twice(t: Directory, n: int) -> int:
    """A small kernel."""
    return int(ints(t, d.SCALARS)[n] * 2)


def run(code: str, folder: Path, *arguments: str, **settings: str) -> subprocess.Popen[str]:
    """A process of its own that keeps its kernels in a folder."""
    environment = {**os.environ, "MUNTIN_KERNELS": str(folder), QUIET: "1", **settings}
    environment["PYTHONPATH"] = os.pathsep.join(path for path in sys.path if path)
    command = [sys.executable, "-c", code, *arguments]
    return subprocess.Popen(  # noqa: S603 - this Python
        command, env=environment, stdout=subprocess.PIPE, text=True
    )


def output_of(process: subprocess.Popen[str]) -> str:
    """What a process printed, once it has ended well."""
    text, _ = process.communicate(timeout=300)
    assert process.returncode == 0
    return text.strip()


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("MUNTIN_KERNELS", str(tmp_path))
    monkeypatch.setenv(QUIET, "1")
    return tmp_path


def small_kernel_in(store: KernelStore) -> int:
    """What the small kernel of a store returns for a scalar of 21."""
    kernel = Kernel(twice, "test.small")
    phase: Phase[[int]] = Phase(twice)
    vars(phase)["address"] = store.address(kernel.name, kernel.compile, keep=True)
    directory = Directory()
    directory.put(d.SCALARS, np.array([0, 21]))
    return phase(directory, 1)


def header_of(folder: Path) -> Path:
    [path] = folder.glob("*/test.small.json")
    return path


# ---------------------------------------------------------------- what names a library


@pytest.fixture
def sources(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "sources" / "helper.py"
    path.parent.mkdir()
    path.write_text("def add(a, b): return a + b")
    monkeypatch.setattr(cache_key, "HASHED_FOLDERS", (path.parent,))
    monkeypatch.setattr(cache_key, "PACKAGE", tmp_path)
    return path


def test_a_change_in_a_function_that_a_kernel_calls_gives_another_key(sources: Path) -> None:
    before, stat = cache_key.source_key(), sources.stat()
    sources.write_text("def add(a, b): return a - b")
    os.utime(sources, ns=(stat.st_atime_ns, stat.st_mtime_ns))
    assert cache_key.source_key() != before


def test_versions_and_the_processor_give_another_folder(
    sources: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert sources.exists()
    names = [cache_key.folder_name("native"), cache_key.folder_name("x86-64-v3")]
    monkeypatch.setattr(cache_key, "host_processor", lambda: HostProcessor("other", frozenset()))
    names += [cache_key.folder_name("native")]
    monkeypatch.setattr(np, "__version__", "9.9")
    names += [cache_key.folder_name("native")]
    monkeypatch.setattr(sys, "version", "9.9")
    names += [cache_key.folder_name("native")]
    assert len({*names}) == 5


def test_the_processor_is_read_from_the_system() -> None:
    text = "vendor_id : A\nmodel name : B\nflags : avx fma\n\nmodel name : C\nflags : sse"
    assert parse_cpu_info(text).features == {"avx", "fma"}
    assert parse_cpu_info(text).name.endswith("A B")


def all_functions() -> Iterator[object]:
    """The functions that kernels are made of, as far as they are named by globals."""
    seen: set[int] = set()
    left: list[object] = [kernel.function for kernel in build.catalogue().values()]
    while left:
        function = getattr(left[-1], "py_func", left.pop())
        code = getattr(function, "__code__", None)
        if code is None or id(function) in seen:
            continue
        seen.add(id(function))
        yield function
        names = vars(sys.modules[function.__module__])
        left += [names[name] for name in code.co_names if callable(names.get(name))]


def test_all_that_kernels_call_is_hashed() -> None:
    outside = {"numpy", "builtins"}
    modules = {str(getattr(function, "__module__", "")) for function in all_functions()}
    hashed = tuple(f"muntin.columnar.{path.name}." for path in cache_key.HASHED_FOLDERS)
    assert len(modules) > 5
    assert {name for name in modules if not name.startswith(hashed)} <= outside


def test_all_modules_with_kernels_are_in_the_catalogue() -> None:
    modules = {kernel.function.__module__ for kernel in build.catalogue().values()}
    marks = {"Phase", "PartPhase", "linked"}
    for path in cache_key.source_files():
        functions = [n for n in ast.parse(path.read_text()).body if isinstance(n, ast.FunctionDef)]
        decorators = {ast.unparse(one).split("(")[0] for f in functions for one in f.decorator_list}
        if path.parent.name != "compiler" and marks & decorators:
            name = ".".join(path.relative_to(cache_key.PACKAGE).with_suffix("").parts)
            assert f"muntin.columnar.{name}" in modules


# ---------------------------------------------------------------- what is refused


def test_a_kernel_is_compiled_once_and_then_loaded(folder: Path) -> None:
    first, second = KernelStore(), KernelStore()
    assert [small_kernel_in(store) for store in (first, second)] == [42, 42]
    assert [first.compiled, second.compiled] == [["test.small"], []]
    assert json.loads(header_of(folder).read_bytes())["versions"] == cache_key.compiler_versions()


@pytest.mark.parametrize("damage", ["cut", "flipped", "gone", "header", "foreign", "compiler"])
def test_a_damaged_library_or_one_of_another_machine_is_rebuilt(folder: Path, damage: str) -> None:
    small_kernel_in(KernelStore())
    header = header_of(folder)
    fields = json.loads(header.read_bytes())
    code = header.with_name(fields["file"])
    if damage == "cut":
        code.write_bytes(code.read_bytes()[:5000])
    elif damage == "flipped":
        code.write_bytes(bytes(255 - byte for byte in code.read_bytes()))
    elif damage == "gone":
        code.unlink()
    elif damage == "header":
        header.write_text("{")
    elif damage == "foreign":
        header.write_text(json.dumps({**fields, "sources": "others"}))
    else:
        header.write_text(json.dumps({**fields, "versions": {"numba": "0.1"}}))
    store, again = KernelStore(), KernelStore()
    assert small_kernel_in(store) == 42
    assert small_kernel_in(again) == 42
    assert [store.compiled, again.compiled] == [["test.small"], []]


def test_a_library_for_another_processor_is_not_loaded(folder: Path) -> None:
    small_kernel_in(KernelStore())
    header = header_of(folder)
    fields, sources = json.loads(header.read_bytes()), cache_key.source_key()
    assert library.load_library(header, sources, shipped=True)
    header.write_text(json.dumps({**fields, "features": ["avx1024", "avx2048"]}))
    assert library.load_library(header, sources, shipped=True) is None
    lacking = library.Header(sources, {}, ["avx2048", "avx1024"], "", "", {})
    reason = "this processor lacks avx1024, avx2048"
    assert lacking.refusal(sources, shipped=True) == reason


def test_the_compiler_of_a_shipped_library_does_not_matter() -> None:
    header = library.Header("s", {"numba": "0.1"}, [], "file", "digest", {})
    assert header.refusal("s", shipped=True) is None
    assert "numba" in str(header.refusal("s", shipped=False))
    assert "sources" in str(header.refusal("t", shipped=True))


def test_code_that_names_an_address_of_the_process_is_refused() -> None:
    text = """
        define i64 @f() {
          %p = inttoptr i64 140123456789 to i64*
          %v = load i64, i64* %p
          ret i64 %v
        }
    """.replace("i64*", "ptr")
    with pytest.raises(UnsupportedError, match="address"):
        machine_code.object_code([text], ["f"], "", "")


def test_without_a_linker_objects_are_kept(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(machine_code, "LINKERS", {})
    first, second = KernelStore(), KernelStore()
    assert [small_kernel_in(store) for store in (first, second)] == [42, 42]
    assert second.compiled == []
    assert str(json.loads(header_of(folder).read_bytes())["file"]).endswith(".o")

    def no_module(name: str) -> ModuleType:
        raise ImportError(name)

    monkeypatch.setattr(library, "import_module", no_module)
    third = KernelStore()
    assert small_kernel_in(third) == 42
    assert third.compiled == ["test.small"]


def test_where_nothing_can_be_written_kernels_are_compiled(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "file").write_text("no folder")
    monkeypatch.setenv("MUNTIN_KERNELS", str(folder / "file"))
    store = KernelStore()
    assert small_kernel_in(store) == 42
    assert store.compiled == ["test.small"]


# ---------------------------------------------------------------- who builds it


def test_of_two_processes_one_compiles(tmp_path: Path) -> None:
    processes = [run(SMALL, tmp_path), run(SMALL, tmp_path)]
    printed = sorted(output_of(process) for process in processes)
    assert printed == ["['test.twice'] True", "[] False"]


class Terminal(StringIO):
    """What is written to a terminal."""

    def isatty(self) -> bool:
        return True


def test_the_command_is_named_once_and_on_a_terminal_only(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert folder
    monkeypatch.setattr(kernel_store, "LONG", 0.0)
    monkeypatch.setattr(sys, "stderr", quiet := Terminal())
    small_kernel_in(KernelStore())
    assert quiet.getvalue() == ""
    monkeypatch.delenv(QUIET)
    monkeypatch.setattr(sys, "stderr", terminal := Terminal())
    store = KernelStore()
    for name in ("test.a", "test.b"):
        store.address(name, Kernel(twice, name).compile, keep=False)
    assert terminal.getvalue().count("python -m muntin.columnar.build") == 1
    monkeypatch.undo()
    KernelStore().suggest_build(100)
    assert capsys.readouterr().err == ""


def test_a_target_that_numba_does_not_know_of_is_refused(folder: Path) -> None:
    with pytest.raises(UnsupportedError, match="NUMBA_CPU_NAME=x86-64-v3"):
        build.build_library("x86-64-v3", folder)


@pytest.fixture(scope="module")
def one_key_library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A library of what windows of one key need, and of nothing else."""
    folder = tmp_path_factory.mktemp("kernels")
    some: Mapping[str, Kernel] = {
        name: kernel for name, kernel in build.catalogue().items() if name in ONE_KEY_KERNELS
    }
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MUNTIN_KERNELS", str(folder))
        patch.setattr(build, "catalogue", lambda: some)
        build.build_library()
    return folder


def test_windows_of_one_key_need_no_kernels_of_keys_and_sessions(one_key_library: Path) -> None:
    printed = output_of(run(ONE_KEY, one_key_library))
    assert printed == "[45, 145, 245, 345] True [] False"


def test_a_library_needs_no_numba(one_key_library: Path) -> None:
    printed = output_of(run(ONE_KEY, one_key_library, "without"))
    assert printed == "[45, 145, 245, 345] True [] False"


def test_first_use_with_a_library_imports_no_compiler_and_no_pandas(one_key_library: Path) -> None:
    printed = output_of(run(FIRST_USE, one_key_library))
    assert printed == "[45, 145, 245, 345] [] []"


def test_few_functions_are_compiled_for_sums_of_one_key(tmp_path: Path) -> None:
    assert 11 <= int(output_of(run(COUNTED, tmp_path))) <= MOST_FUNCTIONS


def test_a_library_that_comes_with_the_package_is_loaded(
    folder: Path, one_key_library: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert not KernelStore().has_catalogue
    [header] = one_key_library.glob("*/all.json")
    copytree(header.parent, folder / "with" / "generic")
    monkeypatch.setattr(kernel_store, "SHIPPED", folder / "with")
    assert KernelStore().has_catalogue


def test_without_numba_and_library_kernels_are_interpreted(tmp_path: Path) -> None:
    printed = output_of(run(ONE_KEY, tmp_path, "without"))
    assert printed == "[45, 145, 245, 345] False [] False"


def test_steps_of_two_engines_run_in_two_threads() -> None:
    results: list[list[int]] = []

    def work() -> None:
        results.extend(one_key_sums() for _ in range(50))

    threads = [Thread(target=work) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [[45, 145, 245, 345]] * 100
