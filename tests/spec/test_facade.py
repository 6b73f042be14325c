"""`muntin.spec` is all that a user needs to import: complete, documented, and quick."""

import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType

import pytest

import muntin.spec as facade
from muntin.conformance.transcript.windows import WINDOW_CODECS
from muntin.spec import Event, WindowType
from muntin.spec.dialect import OURS
from muntin.spec.stream import AcceptedEvent
from muntin.spec.windows import data_driven, frames, periodic, user_defined
from muntin.spec.windows.measure import build_timeline
from muntin.spec.windows.window import materialize_windows

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
IMPORTED = re.compile(r"from (muntin\.spec(?:\.\w+)*) import ([\w, ]+)")
EXAMPLE = re.compile(r"`(?P<call>[^`]+)` of .*?at (?P<times>[\d, ]+) is (?P<windows>[^.:]+)")
SECONDS = 0.5
"""Far more than the import takes, so that a busy machine does not fail it."""

MODULES: tuple[ModuleType, ...] = (periodic, data_driven, frames, user_defined)
ABSTRACT = {"WindowType", "ContextFreeWindow", "PeriodicWindow"}


def subclasses(parent: type[object]) -> Iterator[type[object]]:
    for subclass in parent.__subclasses__():
        yield from (subclass, *subclasses(subclass))


TYPES = sorted(
    {each.__name__ for each in subclasses(WindowType) if each.__module__.startswith("muntin.spec")}
    - ABSTRACT
)
CONSTRUCTORS: dict[str, Callable[..., WindowType]] = {
    name: function
    for module in MODULES
    for name, function in vars(module).items()
    if name.islower()
    and getattr(function, "__module__", None) == module.__name__
    and getattr(function, "__annotations__", {}).get("return")
    in [getattr(module, t, 0) for t in TYPES]
}


def test_all_is_sorted_and_says_what_there_is() -> None:
    public = {
        name
        for name, value in vars(facade).items()
        if not name.startswith("_") and not isinstance(value, ModuleType)
    }
    assert set(facade.__all__) == public
    assert len(facade.__all__) == len(public)


def test_every_window_type_has_a_class_and_a_function() -> None:
    made = {function.__annotations__["return"].__name__ for function in CONSTRUCTORS.values()}
    assert made == set(TYPES)
    assert set(TYPES) | set(CONSTRUCTORS) <= set(facade.__all__)


def test_every_window_type_of_a_transcript_has_a_function_of_its_name() -> None:
    functions = set(CONSTRUCTORS) | {"snapshot"}  # the windows of an instant: `instant_windows`
    assert set(WINDOW_CODECS) <= functions


@pytest.mark.parametrize("name", CONSTRUCTORS)
def test_the_example_of_a_window_type_holds(name: str) -> None:
    """Each event has its time for a value, so that frames have examples too."""
    example = EXAMPLE.search(CONSTRUCTORS[name].__doc__ or "")
    assert example
    window_type = eval(example["call"], {**vars(facade)})  # noqa: S307 - a docstring of ours
    times = [int(time) for time in example["times"].split(",")]
    history = [AcceptedEvent(Event(time, time), i) for i, time in enumerate(times)]
    windows = materialize_windows(
        window_type, build_timeline(history, window_type.measure, 0, OURS)
    )
    shown = [f"[{w.interval.start}, {str(w.interval.end).replace('inf', 'END')})" for w in windows]
    assert " ".join(shown) == example["windows"].strip()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_what_pages_import_is_there(page: Path) -> None:
    for module, names in IMPORTED.findall(page.read_text()):
        if module == "muntin.spec":
            assert {name.strip() for name in names.split(",")} <= set(facade.__all__)


def test_the_import_is_quick_and_needs_the_standard_library_only() -> None:
    code = (
        "import sys, time; start = time.process_time(); import muntin.spec; "
        "print(time.process_time() - start, *{name.partition('.')[0] for name in sys.modules})"
    )
    run = [sys.executable, "-c", f"import sys; sys.path[:0] = [{str(ROOT / 'spec')!r}]; {code}"]
    output = subprocess.check_output(run, text=True)  # noqa: S603 - a program of ours
    seconds, *modules = output.split()
    before = subprocess.check_output(
        [sys.executable, "-c", "import sys; print(*sys.modules)"], text=True
    )
    ours = {"muntin", "sys", "time", *(name.partition(".")[0] for name in before.split())}
    assert set(modules) - ours - sys.stdlib_module_names == set()
    assert float(seconds) < SECONDS
