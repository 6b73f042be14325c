"""The explorer as static files: Pyodide from npm, and the modules of muntin that it needs.

Pyodide is fetched once into build/pyodide, pinned and compared with its hash; it is never
committed. `make explorer` writes build/site/explorer; all that the page loads lies there.
"""

import base64
import hashlib
import json
import shutil
import subprocess
import sys
import tarfile
from importlib.resources import files
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile

from repository_pages import ROOT

PACKAGE = "pyodide@314.0.7"
HASH = "0YvXxEhfEdpLfb/XkM2BFAeMROq0iMUX2bzzH9pOttyMcWkwq+HbE5uyuGD82LN7y2q+SNvi/6V5JEsOlD2R1A=="
"""The SHA-512 of the package, as npm publishes it."""
RUNTIME = ("pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm", "pyodide-lock.json")
LIBRARY = "python_stdlib.zip"
ENCODINGS = ("__init__", "aliases", "ascii", "cp437", "latin_1", "utf_8", "idna", "punycode")
LEFT_OUT = frozenset(
    (
        *("multiprocessing", "xml", "xmlrpc", "_pyrepl", "unittest", "http"),
        *("pdb", "bdb", "doctest", "pydoc", "pydoc_data", "pickletools", "wsgiref", "imaplib"),
        *("optparse", "mailbox", "smtplib", "configparser", "ftplib", "poplib", "turtle", "venv"),
        *("ensurepip", "idlelib", "tkinter", "sqlite3", "curses", "dbm", "lib2to3", "cProfile"),
    )
)
"""Of Python's library: no page parses XML, or debugs."""
CACHE, OUT = ROOT / "build" / "pyodide", ROOT / "build" / "site" / "explorer"
DATA = ("conformance/transcript/transcript-v1.schema.json", "conformance/dialects/dialects.toml")
PORTIONS = ("spec", "reference", "optimized", "tools")

EXERCISE = """
import json, sys
from pathlib import Path
from muntin.explorer.requests import DRAWABLE, respond, still
still()
for path in sys.argv[1:]:
    text = Path(path).read_text()
    for name in ("show", "export", "compare", "rules"):
        respond(name, text)
calls = '{"muntin": 1, "structure": {"aggregate": "sum"}, "ops": [["insert", 1, 1], ["query"]]}'
for name in DRAWABLE:
    respond("structure", calls, name)
respond("forms")
paths = [getattr(m, "__file__", None) for m in list(sys.modules.values())]
print(json.dumps(sorted({path for path in paths if path})))
"""
"""What loads every module that the page can need, lazy ones too."""


def fetch_pyodide(cache: Path = CACHE) -> Path:
    """The archive of the package, fetched if it is not there; a wrong hash is an error."""
    cache.mkdir(parents=True, exist_ok=True)
    archive = cache / f"{PACKAGE.replace('@', '-')}.tgz"
    if not archive.exists():
        npm = shutil.which("npm") or "npm"
        subprocess.run([npm, "pack", PACKAGE], cwd=cache, check=True, capture_output=True)  # noqa: S603 - our own words
    digest = base64.b64encode(hashlib.sha512(archive.read_bytes()).digest()).decode()
    if digest != HASH:
        archive.unlink()
        raise SystemExit(
            f"{archive.name} has the hash {digest}, not the pinned {HASH}; it is removed"
        )
    return archive


def module_files() -> list[Path]:
    """The files of muntin and its dependency that the page needs, found by running it."""
    traces = [str(path) for path in sorted((ROOT / "docs" / "examples" / "traces").glob("*.json"))]
    command = [sys.executable, "-c", EXERCISE, *traces]
    output = subprocess.run(command, check=True, capture_output=True, text=True).stdout  # noqa: S603 - our own words
    paths = [Path(path) for path in json.loads(output)]
    ours = [path for path in paths if path.is_relative_to(ROOT) and "muntin" in path.parts]
    return [*ours, *(path for path in paths if path.parent.name == "sortedcontainers")]


def archive_name(path: Path) -> str:
    """Where a file lies in the bundle: below `muntin` or `sortedcontainers`."""
    if path.parent.name == "sortedcontainers":
        return f"sortedcontainers/{path.name}"
    portion = next(folder for folder in PORTIONS if path.is_relative_to(ROOT / folder))
    return path.relative_to(ROOT / portion).as_posix()


def write_bundle(path: Path) -> None:
    """The modules and their data, as one file."""
    with ZipFile(path, "w", ZIP_DEFLATED, compresslevel=9) as bundle:
        for file in module_files():
            bundle.write(file, archive_name(file))
        for name in DATA:
            bundle.write(ROOT / "reference" / "muntin" / name, f"muntin/{name}")


def is_needed(name: str) -> bool:
    """Whether the page may need a file of Python's library.

    >>> is_needed("json/decoder.py"), is_needed("xml/sax.py"), is_needed("encodings/big5.py")
    (True, False, False)
    """
    top, _, rest = name.partition("/")
    if top == "encodings":
        return rest.removesuffix(".py") in ENCODINGS
    return top.removesuffix(".py") not in LEFT_OUT


def prune_library(library: Path) -> None:
    """Leave out of Python's library what no page needs."""
    with ZipFile(library) as complete:
        contents = {name: complete.read(name) for name in complete.namelist() if is_needed(name)}
    with ZipFile(library, "w", ZIP_DEFLATED, compresslevel=9) as pruned:
        for name, content in contents.items():
            pruned.writestr(name, content)


def build(out: Path = OUT) -> None:
    """Write the page, Pyodide and the bundle into a folder."""
    from muntin.explorer.requests import still  # noqa: PLC0415 - the site needs no explorer

    shutil.rmtree(out, ignore_errors=True)
    (out / "pyodide").mkdir(parents=True)
    for file in (files("muntin.explorer") / "static").iterdir():
        (out / file.name).write_bytes(file.read_bytes())
    (out / "still.svg").write_text(still(), "utf-8")
    with tarfile.open(fetch_pyodide()) as package:
        for name in (*RUNTIME, LIBRARY):
            member = package.extractfile(f"package/{name}")
            if member is None:
                raise SystemExit(f"{PACKAGE} has no {name}")
            (out / "pyodide" / name).write_bytes(member.read())
    write_bundle(out / "muntin.zip")
    prune_library(out / "pyodide" / LIBRARY)
    sizes = {file.name: file.stat().st_size for file in sorted(out.rglob("*")) if file.is_file()}
    sys.stdout.write(json.dumps(sizes, indent=1) + "\n")


if __name__ == "__main__":
    build()
