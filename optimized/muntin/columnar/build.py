"""Build the kernels of the columnar engine ahead: `python -m muntin.columnar.build`.

Without it the kernels that a process needs are compiled when it needs them, and kept. A library for
a level of processors, such as `x86-64-v3`, runs on all machines of that level: build it into an
image or a wheel. It is loaded without Numba.
"""

import os
import subprocess
import sys
import time
from argparse import ArgumentParser
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path

from muntin.columnar.compiler.cache_key import (
    NATIVE,
    cache_root,
    folder_name,
    required_features,
    source_key,
)
from muntin.columnar.compiler.file_lock import file_lock
from muntin.columnar.compiler.kernel_store import CATALOGUE
from muntin.columnar.compiler.library import load_library
from muntin.columnar.compiler.processor import LEVELS
from muntin.columnar.engine.kernel_language import COMPILED, KERNELS, Kernel
from muntin.spec.errors import MuntinError, UnsupportedError

ENGINE = "muntin.columnar.engine.engine"
CPU_NAME, CPU_FEATURES = "NUMBA_CPU_NAME", "NUMBA_CPU_FEATURES"


def catalogue() -> dict[str, Kernel]:
    """All kernels that the engine imports, by name."""
    import_module(ENGINE)
    return {name: kernel for name, kernel in sorted(KERNELS.items()) if kernel.is_catalogued}


def build_library(target: str = NATIVE, folder: Path | None = None) -> Path:
    """Build all kernels for a target, unless there is a library of them; where it is."""
    if not COMPILED:
        raise UnsupportedError(
            "kernels are not compiled in this process: install muntin[kernels], and unset "
            "NUMBA_DISABLE_JIT"
        )
    if target != NATIVE and os.environ.get(CPU_NAME) != target:
        raise UnsupportedError(f"set {CPU_NAME}={target} before Numba is imported")
    folder = folder / target if folder else cache_root() / folder_name(target)
    folder.mkdir(parents=True, exist_ok=True)
    with file_lock(folder / "build.lock"):
        header = folder / CATALOGUE
        if load_library(header, source_key()) is None:
            from muntin.columnar.compiler.machine_code import store_kernels  # noqa: PLC0415 - imports LLVM

            kernels = {name: kernel.compile() for name, kernel in catalogue().items()}
            store_kernels(header, kernels, required_features(target))
    return header


def _parser() -> ArgumentParser:
    parser = ArgumentParser("python -m muntin.columnar.build", description=__doc__)
    targets = [NATIVE, *LEVELS]
    parser.add_argument(
        "--cpu", choices=targets, default=NATIVE, help=f"the processor: {NATIVE} is this one"
    )
    parser.add_argument(
        "--into", type=Path, metavar="FOLDER", help="the folder, instead of the cache of the user"
    )
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """Build a library; for another processor in a process of its own."""
    arguments = _parser().parse_args(argv)
    target = arguments.cpu
    if target != NATIVE and os.environ.get(CPU_NAME) != target:
        environment = {**os.environ, CPU_NAME: target}
        environment.pop(CPU_FEATURES, None)
        options = sys.argv[1:] if argv is None else argv
        command = [sys.executable, "-m", "muntin.columnar.build", *options]
        done = subprocess.run(command, env=environment, check=False)  # noqa: S603 - this program
        return done.returncode
    begin = time.perf_counter()
    try:
        header = build_library(target, arguments.into)
    except MuntinError as error:
        sys.stderr.write(f"{error}\n")
        return 1
    elapsed = time.perf_counter() - begin
    sys.stdout.write(f"{header.parent}: kernels for {target}, {elapsed:.1f} s\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
