"""A lock among processes: a file that one of them holds; the system frees it when that one ends."""

import os
import time
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

try:
    import fcntl
except ImportError:  # not on Windows: there each process compiles by itself
    fcntl = None  # type: ignore[assignment] # a module, or none

PATIENCE = 120.0
"""Seconds that a process waits for another one, which may be suspended; then it goes on."""
PAUSE = 0.02


@contextmanager
def file_lock(path: Path, patience: float = PATIENCE) -> Generator[bool]:
    """Hold a lock, or go on without it if it cannot be had; says which."""
    try:
        handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
    except OSError:
        yield False
        return
    try:
        yield _acquire(handle, patience)
    finally:
        os.close(handle)


def _acquire(handle: int, patience: float) -> bool:
    """Wait for a lock; it is released when the file is closed."""
    end = time.monotonic() + patience
    while fcntl is not None:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() > end:
                return False
            time.sleep(PAUSE)
        except OSError:
            return False
        else:
            return True
    return False
