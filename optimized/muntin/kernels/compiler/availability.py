"""Whether Numba compiles in this process, which is known without importing it."""

import gc
import os
from collections.abc import Generator
from contextlib import contextmanager
from importlib.util import find_spec

COMPILED = find_spec("numba") is not None and os.environ.get("NUMBA_DISABLE_JIT", "0") == "0"
"""Whether kernels are compiled in this process."""


@contextmanager
def gc_paused() -> Generator[None]:
    """Pause garbage collection while code is loaded: a first answer comes a tenth sooner.

    Thousands of objects are made, and all of them stay.

    >>> with gc_paused():
    ...     gc.isenabled()
    False
    >>> gc.isenabled()
    True
    """
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def compiler_version() -> str:
    """The versions that compiled code depends on, besides its source."""
    if not COMPILED:
        return "uncompiled"
    import numba  # noqa: PLC0415 - it is an extra
    import numpy as np  # noqa: PLC0415 - it is an extra

    return f"numba {numba.__version__}, numpy {np.__version__}"
