"""Runs killers on the code beside it, in a process of its own, for so many seconds of CPU.

    python proofs/mutants/kill.py KILLER[;KILLER]... SECONDS

Exit status 0: all is well. 1: something was noticed, and is printed. 2: the code could not even be
loaded, which shows nothing. The signal SIGXCPU: nothing was noticed in time.
"""

import os
import resource
import sys

from mutants.killers import run

WITHOUT_COMPILER = ("states", "finger", "traces", "vectors", "steps", "laws", "uncompiled")
"""Killers that run no kernel, or run it in Python: to load the compiler takes longer than most."""

MEMORY = 6 << 30
"""What a mutant that never ends may take, in bytes."""

ACCIDENTS = (ImportError, SyntaxError, NameError)


def main(killers: str, seconds: int) -> int:
    """Run the killers."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1))
    if all(one.startswith(WITHOUT_COMPILER) for one in killers.split(";")):
        os.environ["NUMBA_DISABLE_JIT"] = "1"
    try:
        run(killers)
    except ACCIDENTS as accident:
        sys.stdout.write(f"{type(accident).__name__}: {accident}\n")
        return 2
    except Exception as noticed:  # noqa: BLE001 whatever a mutant does wrong is noticed
        sys.stdout.write(f"{type(noticed).__name__}: {noticed}"[:300] + "\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], int(sys.argv[2])))
