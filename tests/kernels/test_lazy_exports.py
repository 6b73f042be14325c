"""What a package offers is found at its top, and a missing extra is named."""

import sys
from pathlib import Path

import pytest

import muntin.columnar
import muntin.spark
from muntin.kernels.compiler.lazy_exports import lazy_exports


@pytest.mark.parametrize("package", [muntin.columnar, muntin.spark])
def test_all_that_is_promised_is_there(package: object) -> None:
    promised = getattr(package, "__all__")  # noqa: B009 - modules have no such field
    assert promised == sorted(promised)
    assert all(getattr(package, name).__module__.startswith("muntin.") for name in promised)


def test_what_is_not_promised_is_not_there() -> None:
    wrong = "agregate"
    with pytest.raises(AttributeError, match=f"module 'muntin.columnar' has no .* '{wrong}'"):
        getattr(muntin.columnar, wrong)


def test_a_missing_extra_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "greedy").mkdir()
    (tmp_path / "greedy" / "part.py").write_text("import absent\n")
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    find = lazy_exports("greedy", {"name": "greedy.part"}, "more")
    with pytest.raises(ModuleNotFoundError) as raised:
        find("name")
    assert str(raised.value) == "greedy needs absent: pip install 'muntin[more]'"
    assert raised.value.name == "absent"
