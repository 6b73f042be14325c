"""Runs killers on the code in its folder, in a process of its own, within a limit of CPU seconds.

    python proofs/mutants/kill.py KILLER[;KILLER]... SECONDS

Exit status 0: no fault noticed. 1: a fault was noticed, and is printed. 2: the code could not be
loaded, which shows nothing. Signal SIGXCPU: no fault was noticed in time.
"""

import os
import resource
import sys

from mutants.killers import run

WITHOUT_COMPILER = ("states", "finger", "traces", "vectors", "steps", "laws", "uncompiled")
"""Killers that run no kernel, or run it in Python: loading the compiler takes longer than most."""

MEMORY = 6 << 30
"""The limit for a mutant that never ends, in bytes."""

LOADING_ERRORS = (ImportError, SyntaxError, NameError)


def main(killers: str, seconds: int) -> int:
    """Run the killers."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1))
    if all(killer.startswith(WITHOUT_COMPILER) for killer in killers.split(";")):
        os.environ["NUMBA_DISABLE_JIT"] = "1"
    try:
        run(killers)
    except LOADING_ERRORS as error:
        sys.stdout.write(f"{type(error).__name__}: {error}\n")
        return 2
    except Exception as error:  # noqa: BLE001 any error of a mutant counts as noticed
        sys.stdout.write(f"{type(error).__name__}: {error}"[:300] + "\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], int(sys.argv[2])))
