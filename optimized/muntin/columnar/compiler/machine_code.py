"""Objects and shared libraries of the code that Numba generates, by llvmlite and a linker."""

# llvmlite has no type annotations for its binding, so:
# pyright: reportUnknownVariableType=false, reportUnknownMemberType=false, reportUnknownArgumentType=false

import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from importlib import import_module
from pathlib import Path

from muntin.columnar.compiler.cache_key import source_key
from muntin.columnar.compiler.kernel_store import KernelCode
from muntin.columnar.compiler.library import OBJECT, SHARED, Code, store_library
from muntin.spec.errors import UnsupportedError

llvm = import_module("llvmlite.binding")

NEVER_REACHED = ("NRT_", "numba_")
"""Functions of Numba's run time that code for errors names; kernels raise none."""
OWN_ADDRESS = re.compile(r"inttoptr \(?i64 -?\d{5,} to")
LINKERS = {
    "linux": (("ld", "-shared", "-z", "noexecstack"), ("cc", "-shared", "-nostdlib")),
    "darwin": (("cc", "-dynamiclib", "-undefined", "dynamic_lookup"),),
}


def object_code(texts: Iterable[str], symbols: Sequence[str], cpu: str, features: str) -> bytes:
    """One object of modules of LLVM, of which only some symbols are seen from outside."""
    module = llvm.parse_assembly("")
    for text in texts:
        if OWN_ADDRESS.search(text):
            raise UnsupportedError(f"{symbols[0]} contains an address of this process")
        parsed = llvm.parse_assembly(text)
        module.triple = parsed.triple
        module.data_layout = parsed.data_layout
        module.link_in(parsed)
    for function in module.functions:
        if not function.is_declaration and function.name not in symbols:
            function.linkage = "internal"
    machine = llvm.Target.from_triple(module.triple or llvm.get_process_triple())
    target = machine.create_target_machine(
        cpu=cpu, features=features, opt=3, reloc="pic", codemodel="default"
    )
    module = llvm.parse_assembly(_with_stubs(str(module)))
    module.verify()
    code: bytes = target.emit_object(module)
    return code


def _with_stubs(text: str) -> str:
    """Give functions that are never reached a body that stops the process."""
    names = "|".join(NEVER_REACHED)
    declaration = re.compile(rf"^declare ([^@]*)(@(?:{names})\w*\([^)]*\))([^\n]*)$", re.MULTILINE)

    def body(declared: re.Match[str]) -> str:
        kind = re.sub(r"\b(noalias|nonnull|noundef|dereferenceable\(\d+\))\s", "", declared[1])
        return (
            f"define internal {kind}{declared[2]} {{\n  call void @llvm.trap()\n  unreachable\n}}"
        )

    end = "" if "@llvm.trap()" in text else "\ndeclare void @llvm.trap()\n"
    return f"{declaration.sub(body, text)}{end}"


def linked_code(code: bytes) -> tuple[bytes, str]:
    """A shared library of an object and its suffix; the object itself where there is no linker."""
    for command in LINKERS.get(sys.platform, ()):
        program = shutil.which(command[0])
        if program is None:
            continue
        with tempfile.TemporaryDirectory() as folder:
            source, library = Path(folder, "kernels.o"), Path(folder, "kernels.so")
            source.write_bytes(code)
            line = [program, *command[1:], "-o", str(library), str(source)]
            done = subprocess.run(line, capture_output=True, check=False)  # noqa: S603 - the linker
            if done.returncode == 0 and library.exists():
                return library.read_bytes(), SHARED
    return code, OBJECT


def store_kernels(header: Path, kernels: Mapping[str, KernelCode], features: list[str]) -> None:
    """Keep compiled kernels as a library; where nothing can be written, nothing is kept."""
    host, features_of_host = llvm.get_host_cpu_name(), llvm.get_host_cpu_features().flatten()
    name = os.environ.get("NUMBA_CPU_NAME") or host
    flags = os.environ.get("NUMBA_CPU_FEATURES") or (features_of_host if name == host else "")
    symbols = {kernel: code.symbol for kernel, code in kernels.items()}
    texts = [code.text for code in kernels.values()]
    content, suffix = linked_code(object_code(texts, [*symbols.values()], name, flags))
    with suppress(OSError):
        store_library(header, Code(content, suffix, symbols), source_key(), features)
