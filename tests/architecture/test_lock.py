"""requirements.lock: an exact version of every package, and no index to get it from."""

import re
import tomllib
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[2]
LOCK = (ROOT / "requirements.lock").read_text()
PIN = re.compile(r"[a-z0-9][a-z0-9.-]*==[A-Za-z0-9.!+]+(?: ; [^;@]+)?")
NOTE = re.compile(r" {4}#(?: via)?(?: {1,3}[a-z0-9.-]+(?: \(pyproject\.toml(?::[a-z]+)?\))?)?")


def pins() -> list[str]:
    return [line for line in LOCK.splitlines() if not line.startswith(" ")]


def requirements() -> list[Requirement]:
    with (ROOT / "pyproject.toml").open("rb") as file:
        stated = tomllib.load(file)
    lists: list[list[str]] = [
        stated["build-system"]["requires"],
        stated["project"]["dependencies"],
        *stated["project"]["optional-dependencies"].values(),
        *stated["dependency-groups"].values(),
    ]
    return [Requirement(line) for lines in lists for line in lines]


def test_every_line_is_an_exact_pin() -> None:
    assert [line for line in pins() if not PIN.fullmatch(line)] == []


def test_no_line_names_a_host() -> None:
    notes = [line for line in LOCK.splitlines() if line.startswith(" ")]
    assert [line for line in notes if not NOTE.fullmatch(line)] == []
    assert "://" not in LOCK


def test_every_dependency_is_pinned_within_its_bounds() -> None:
    versions = [re.split(r"==| ; ", line)[:2] for line in pins()]
    for requirement in requirements():
        name = canonicalize_name(requirement.name)
        pinned_versions = [version for pinned, version in versions if pinned == name]
        assert pinned_versions, f"{name} is not in requirements.lock: run `make lock`"
        assert all(requirement.specifier.contains(version) for version in pinned_versions), name


def test_no_package_is_pinned_twice_for_one_platform() -> None:
    names = [line.split("==")[0] for line in pins()]
    twice = {name for name in names if names.count(name) > 1}
    assert [line for line in pins() if line.split("==")[0] in twice and ";" not in line] == []
