"""A library: machine code of kernels in a file, and a header that says what it was made of.

The header names the file, so writing the header makes both valid at once. A file that is not what
its header says, or a header for other sources or another processor, is no library: kernels are then
compiled. A shared library is called by `ctypes` alone; an object, where there was no linker, is
loaded by llvmlite.
"""

import ctypes
import json
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass
from hashlib import blake2b
from importlib import import_module
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import NamedTuple

from muntin.columnar.compiler.cache_key import compiler_versions
from muntin.columnar.compiler.processor import host_processor

SHARED, OBJECT = ".so", ".o"


@dataclass(frozen=True)
class Header:
    """What a library was made of, where its code is, and the symbols of its kernels."""

    sources: str
    versions: Mapping[str, str]
    features: list[str]
    file: str
    digest: str
    symbols: Mapping[str, str]

    def refusal(self, sources: str, *, shipped: bool) -> str | None:
        """Why the code must not be run; of a shipped library the compiler does not matter."""
        if self.sources != sources:
            return "it was made of other sources"
        lacking = sorted({*self.features} - host_processor().features)
        if lacking:
            return f"this processor lacks {', '.join(lacking)}"
        installed = compiler_versions()
        if not shipped and installed and installed != self.versions:
            return f"it was made with {self.versions}, {installed} are installed"
        return None


class Library:
    """Kernels of a file, by name."""

    def __init__(self, path: Path, header: Header) -> None:
        """Load the code."""
        self._symbols = header.symbols
        if path.suffix == OBJECT:
            self._loaded = _LoadedObject(path)
        else:
            self._shared = ctypes.PyDLL(str(path))
        self._is_object = path.suffix == OBJECT

    def address(self, name: str) -> int | None:
        """The address of a kernel, if the library has it."""
        symbol = self._symbols.get(name)
        if symbol is None:
            return None
        if self._is_object:
            return self._loaded.address(symbol)
        return ctypes.cast(getattr(self._shared, symbol), ctypes.c_void_p).value


class _LoadedObject:
    """Code that llvmlite loads."""

    def __init__(self, path: Path) -> None:
        llvm = import_module("llvmlite.binding")
        llvm.initialize_native_target()
        llvm.initialize_native_asmprinter()
        machine = llvm.Target.from_default_triple().create_target_machine()
        self._engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), machine)
        self._engine.add_object_file(llvm.ObjectFileRef.from_data(path.read_bytes()))
        self._engine.finalize_object()

    def address(self, symbol: str) -> int:
        return int(self._engine.get_function_address(symbol))


def digest_of(code: bytes) -> str:
    """The hash by which a damaged file is noticed."""
    return blake2b(code, digest_size=16).hexdigest()


def load_library(header_path: Path, sources: str, *, shipped: bool = False) -> Library | None:
    """A library, if there is one that fits and is intact."""
    try:
        header = Header(**json.loads(header_path.read_bytes()))
        path = header_path.with_name(header.file)
        if header.refusal(sources, shipped=shipped):
            return None
        if digest_of(path.read_bytes()) != header.digest:
            return None
        return Library(path, header)
    except (OSError, ValueError, TypeError, AttributeError, ImportError, RuntimeError):
        return None


def write_file(path: Path, content: bytes) -> None:
    """Write a file at once, so that no process reads a part of it."""
    with NamedTemporaryFile(dir=path.parent, suffix=".part", delete=False) as part:
        part.write(content)
    Path(part.name).chmod(0o644)
    Path(part.name).replace(path)


class Code(NamedTuple):
    """Machine code, the suffix of its file, and the symbols of its kernels."""

    content: bytes
    suffix: str
    symbols: Mapping[str, str]


def store_library(header_path: Path, code: Code, sources: str, features: list[str]) -> None:
    """Write a library, its header last, and remove the file of the library that it replaces."""
    digest = digest_of(code.content)
    file = f"{header_path.stem}-{digest[:12]}{code.suffix}"
    header_path.parent.mkdir(parents=True, exist_ok=True)
    replaced = None
    with suppress(OSError, ValueError, KeyError, TypeError):
        replaced = json.loads(header_path.read_bytes())["file"]
    write_file(header_path.with_name(file), code.content)
    header = Header(sources, compiler_versions(), features, file, digest, code.symbols)
    write_file(header_path, json.dumps(asdict(header), indent=1).encode())
    if replaced and replaced != file:
        with suppress(OSError, TypeError, ValueError):
            header_path.with_name(replaced).unlink()
