"""What machine code depends on: sources, versions, processor; the folder is named by it."""

import os
import sys
from functools import cache
from hashlib import blake2b
from importlib.util import find_spec
from pathlib import Path
from platform import machine

import numpy as np

from muntin.columnar.compiler.array_layout import DATA_OFFSET
from muntin.columnar.compiler.processor import LEVELS, host_processor

NATIVE = "native"
COMPILERS = ("numba", "llvmlite")
PACKAGE = Path(__file__).parents[1]
HASHED_FOLDERS = (PACKAGE / "engine", PACKAGE / "compiler")
"""All sources that a kernel may read; a test holds kernels to them."""
NUMBA_SETTINGS = ("NUMBA_CPU_NAME", "NUMBA_CPU_FEATURES", "NUMBA_OPT", "NUMBA_ENABLE_AVX")


def source_files() -> list[Path]:
    """The sources of the engine and of what compiles it."""
    return sorted(path for folder in HASHED_FOLDERS for path in folder.rglob("*.py"))


def source_key() -> str:
    """A hash of the sources, and of what they read of this Python."""
    digest = blake2b(f"{DATA_OFFSET} {sys.platform} {machine()}".encode(), digest_size=12)
    for path in source_files():
        text = path.read_bytes()
        digest.update(f"{path.relative_to(PACKAGE)} {len(text)}\n".encode())
        digest.update(text)
    return digest.hexdigest()


@cache
def compiler_versions() -> dict[str, str]:
    """The versions of Numba and LLVM's binding that are installed, without importing them."""
    versions: dict[str, str] = {}
    for name in COMPILERS:
        spec = find_spec(name)
        if spec and spec.submodule_search_locations:
            folder = Path(spec.submodule_search_locations[0]).parent
            named = sorted(path.name for path in folder.glob(f"{name}-*-info"))
            versions[name] = named[-1].split("-")[1].removesuffix(".dist") if named else "unknown"
    return versions


def required_features(target: str) -> list[str]:
    """The features that code for a target may use, as the system spells them."""
    return sorted(LEVELS.get(target, host_processor().features))


def folder_name(target: str) -> str:
    """The folder of the libraries for a target: the name of a level, or `native`."""
    settings = [f"{name}={os.environ.get(name, '')}" for name in NUMBA_SETTINGS]
    processor = [host_processor().name, *required_features(NATIVE), *settings]
    parts = [source_key(), sys.version, np.__version__, *(processor if target == NATIVE else [])]
    digest = blake2b("\n".join(parts).encode(), digest_size=12).hexdigest()
    return f"columnar-{target}-{digest}"


def cache_root() -> Path:
    """The folder of all caches: MUNTIN_KERNELS, if it is set."""
    base = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return Path(os.environ.get("MUNTIN_KERNELS") or Path(base, "muntin", "kernels"))
