"""The wheel holds the right files, and works with the core dependencies alone."""

import shutil
import subprocess
import sys
import tomllib
from importlib.util import find_spec
from pathlib import Path
from zipfile import ZipFile

import pytest
from packaging.requirements import Requirement

ROOT = Path(__file__).parents[2]
VECTOR = str(ROOT / "tests" / "vectors" / "rules" / "01_half_open_edges.json")
PORTIONS = [
    path
    for folder in ("spec", "reference", "optimized", "tools")
    for path in (ROOT / folder / "muntin").iterdir()
    if path.is_dir()
]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the files of the wheel, and with the core dependencies."""
    folder = tmp_path_factory.mktemp("wheel")
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(build, cwd=ROOT, check=True, capture_output=True)  # noqa: S603 - our own words
    with ZipFile(next(folder.glob("*.whl"))) as wheel:
        wheel.extractall(folder / "site")
    with (ROOT / "pyproject.toml").open("rb") as file:
        dependencies: list[str] = tomllib.load(file)["project"]["dependencies"]
    for name in (Requirement(line).name for line in dependencies):
        spec = find_spec(name)
        assert spec
        assert spec.origin
        shutil.copytree(Path(spec.origin).parent, folder / "site" / name)
    return folder / "site"


def python(site: Path, code: str) -> subprocess.CompletedProcess[str]:
    """Run code that can import only that folder and the standard library."""
    run = f"import sys; sys.path.insert(0, {str(site)!r})\n{code}"
    return subprocess.run(  # noqa: S603 - our own words
        [sys.executable, "-I", "-S", "-c", run], check=False, capture_output=True, text=True
    )


def muntin(site: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run the command as its script does."""
    code = f"sys.argv = {['muntin', *arguments]!r}\nfrom muntin.cli.main import main\n"
    return python(site, code + "sys.exit(main())")


def test_the_wheel_holds_every_portion_and_nothing_else(site: Path) -> None:
    files = {path.relative_to(site) for path in (site / "muntin").rglob("*") if path.is_file()}
    ours = {
        path.relative_to(portion.parents[1])
        for portion in PORTIONS
        for path in portion.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    vectors = {
        Path("muntin/conformance/vectors") / path.relative_to(ROOT / "tests" / "vectors")
        for path in (ROOT / "tests" / "vectors").glob("*/*.json")
    }
    assert len(vectors) > 200
    assert files == ours | vectors
    tops = {path.name for path in site.iterdir() if not path.name.endswith(".dist-info")}
    assert tops == {"muntin", "sortedcontainers"}


def test_the_portions_need_the_core_dependencies_only(site: Path) -> None:
    names = sorted(f"muntin.{portion.name}" for portion in PORTIONS)
    process = python(site, f"import {', '.join(names)}")
    assert (process.returncode, process.stderr) == (0, "")


def test_the_command_needs_the_core_dependencies_only(site: Path) -> None:
    process = muntin(site, "list")
    assert (process.returncode, process.stderr) == (0, "")
    assert "recompute" in process.stdout


def test_replay_needs_the_core_dependencies_only(site: Path) -> None:
    process = muntin(site, "replay", VECTOR, "--check", "--with", "all")
    assert (process.returncode, process.stderr) == (0, "")


def test_an_operator_of_a_stranger_needs_the_core_dependencies_only(
    site: Path, tmp_path: Path
) -> None:
    for name in ("my_adapter.py", "my_operator.py"):
        shutil.copy(ROOT / "examples" / "verify-my-operator" / name, tmp_path)
    words = ["verify", "my_adapter:MyAdapter", "--seed", "1", "--traces", "40"]
    code = f"sys.argv = {['muntin', *words]!r}\nfrom muntin.cli.main import main\nsys.exit(main())"
    process = python(site, f"import os; os.chdir({str(tmp_path)!r})\n{code}")
    assert (process.returncode, process.stderr) == (1, "")
    assert "late #1    ! -" in process.stdout


def test_a_missing_extra_is_named(site: Path) -> None:
    process = muntin(site, "replay", VECTOR, "--pretty")
    assert process.returncode > 0
    assert "pip install 'muntin[cli" in process.stderr
    assert "Traceback" not in process.stderr
