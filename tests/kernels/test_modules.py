"""Compiled modules: a file for each monoid with all that it reads, cached on disk."""

import ast
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from muntin.kernels.aggregator.numeric_catalogue import numeric_aggregate
from muntin.kernels.compiler import specialization
from muntin.kernels.compiler.numeric_aggregate import NumericAggregate, Partial
from muntin.kernels.compiler.source_closure import SourceClosure
from muntin.kernels.compiler.specialization import (
    FINGER_BTREE_SOURCES,
    KERNELS_FOLDER,
    cache_folder,
    joined_sources,
    source_for,
)
from muntin.spec.errors import InvalidInputError, UnsupportedError

SCALE = 2
TABLE = [1, 2]
PATH_SETUP = f"import sys; sys.path[:0] = {sys.path!r}\n"


def lift(v: float) -> tuple[float]:
    return (v,)


def helped(v: float) -> float:
    return SCALE * v


def combine(a: tuple[float], b: tuple[float]) -> tuple[float]:
    return (helped(a[0]) + b[0],)


def lower(a: tuple[float]) -> tuple[float]:
    return a


def text(joined: Callable[..., Partial] = combine) -> str:
    own = NumericAggregate("own", ("float",), ("float",), (0.0,), lift, joined, lower, ("float",))
    return source_for(own, ("aggregator/column_kernels",), 4, 4)


def test_kernel_sources_are_put_together_without_a_statement_lost() -> None:
    own = {
        f"muntin.kernels.{name.replace('/', '.')}"
        for name in ("compiler/kernel_api", *FINGER_BTREE_SOURCES)
    }
    each = [
        ast.parse((KERNELS_FOLDER / f"{name}.py").read_text()).body[1:]
        for name in FINGER_BTREE_SOURCES
    ]
    kept = [
        ast.dump(one)
        for body in each
        for one in body
        if not (isinstance(one, ast.ImportFrom) and one.module in own)
    ]
    assert [ast.dump(one) for one in ast.parse(joined_sources(FINGER_BTREE_SOURCES)).body] == kept


def test_a_change_in_a_constant_or_helper_makes_other_kernels(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    before = text()
    assert text() == before
    monkeypatch.setattr(sys.modules[__name__], "SCALE", 3)
    scaled = text()
    assert scaled != before

    def other(v: float) -> float:
        return v * SCALE

    other.__name__ = helped.__name__
    monkeypatch.setattr(sys.modules[__name__], "helped", other)
    assert text() not in (before, scaled)


def test_a_change_in_the_tables_makes_other_kernels(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    before, changed = text(), tmp_path / "tables.py"
    changed.write_text("WORDS_PER_LINE = 16\n")
    monkeypatch.setattr(specialization, "TABLES", changed)
    assert text() != before


def test_what_a_closure_holds_is_part_of_it() -> None:
    def scaled(by: float) -> Callable[..., Partial]:
        def joined(a: tuple[float], b: tuple[float]) -> tuple[float]:
            return (a[0] + by * b[0],)

        return joined

    assert text(scaled(1.0)) != text(scaled(2.0))
    assert text(scaled(1.0)) == text(scaled(1.0))


def test_names_of_users_do_not_meet_those_of_kernels() -> None:
    def fold(a: tuple[float], b: tuple[float]) -> tuple[float]:
        return (a[0] + b[0],)

    assert "def fold(" not in text(fold).replace("def fold_windows(", "")


def test_two_aggregates_never_share_a_module() -> None:
    texts = {
        source_for(numeric_aggregate(name), FINGER_BTREE_SOURCES, 64, 16)
        for name in ("sum", "min", "max", "mean", "first")
    }
    assert len(texts) == 5


def reads_a_list(a: tuple[float], _: tuple[float]) -> tuple[float]:
    return (a[0] + TABLE[0],)


def _nameless() -> Callable[[Partial, Partial], Partial]:
    return lambda a, _: a


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (reads_a_list, r"reads_a_list reads TABLE, which is \[1, 2\]"),
        (_nameless(), "must be written with def"),
        (max, "it is not written in Python"),
    ],
)
def test_a_function_that_cannot_be_compiled_is_refused(
    function: Callable[..., Partial], message: str
) -> None:
    with pytest.raises(UnsupportedError, match=message):
        SourceClosure().add_function(function)


def test_an_identity_of_another_kind_is_refused() -> None:
    with pytest.raises(InvalidInputError, match="must be float, not int"):
        NumericAggregate("own", ("float",), ("float",), (0,), lift, combine, lower, ("float",))


CALL = """
from muntin.kernels.aggregator.numeric_catalogue import numeric_aggregate
from muntin.kernels.compiler.engine import compiled_engine, window_scan_kernel
from muntin.kernels.aggregator.in_order_scan import rolling
print([float(x) for x in rolling(numeric_aggregate("max"), 5, [1, 2, 9], [3.0, 1.0, 2.0])[0]])
stats = window_scan_kernel(numeric_aggregate("max"), compile_it=True).stats
print(sum(stats.cache_hits.values()), sum(stats.cache_misses.values()))
"""


def called(folder: Path) -> list[str]:
    compiling = {"MUNTIN_KERNELS": str(folder), "NUMBA_DISABLE_JIT": "0"}
    process = subprocess.run(  # noqa: S603 - our own words
        [sys.executable, "-c", PATH_SETUP + CALL],
        check=True, capture_output=True, text=True, env={**os.environ, **compiling},
    )  # fmt: skip
    return process.stdout.splitlines()


def test_a_second_process_and_one_with_a_copied_cache_compile_nothing(
    tmp_path: Path,
) -> None:
    first_cache, copied_cache = tmp_path / "here", tmp_path / "there"
    answer = "[3.0, 3.0, 2.0]"
    assert called(first_cache) == [answer, "0 1"]
    assert called(first_cache) == [answer, "1 0"]
    copied_cache.mkdir()
    for path in first_cache.rglob(
        "*"
    ):  # as a tool that does not keep the times of files would copy
        if path.is_file() and "muntin_kernels" in path.name:
            (copied_cache / path.relative_to(first_cache)).parent.mkdir(exist_ok=True)
            (copied_cache / path.relative_to(first_cache)).write_bytes(path.read_bytes())
    assert called(copied_cache) == [answer, "1 0"]


def test_a_damaged_module_is_written_anew(tmp_path: Path) -> None:
    assert called(tmp_path)
    (module,) = (path for path in tmp_path.glob("*.py") if "fold_windows" in path.read_text())
    source = module.read_text()
    module.write_text(source[:100])
    assert called(tmp_path)[0] == "[3.0, 3.0, 2.0]"
    assert module.read_text() == source


def test_the_cache_folder_follows_the_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MUNTIN_KERNELS", str(tmp_path / "mine"))
    assert cache_folder() == tmp_path / "mine"
    monkeypatch.delenv("MUNTIN_KERNELS")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert cache_folder() == tmp_path / "muntin" / "kernels"
    shutil.rmtree(tmp_path)


def test_with_compilation_switched_off_everything_runs_as_it_is(tmp_path: Path) -> None:
    code = """
from muntin.kernels.aggregator.numeric_catalogue import numeric_aggregate
from muntin.kernels.aggregator.column_window import ColumnWindow
window = ColumnWindow(numeric_aggregate("mean"))
window.insert([3, 1, 2], [1.0, 2.0, 6.0])
print(window.query(), type(window.tree.arrays.s).__name__)
"""
    process = subprocess.run(  # noqa: S603 - our own words
        [sys.executable, "-c", PATH_SETUP + code],
        check=True, capture_output=True, text=True,
        env={**os.environ, "NUMBA_DISABLE_JIT": "1", "MUNTIN_KERNELS": str(tmp_path)},
    )  # fmt: skip
    assert process.stdout.strip() == "(3.0,) list"
    assert list(tmp_path.iterdir()) == []
