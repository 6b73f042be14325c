"""Spark's daemon for Python workers, with the kernels loaded: each worker starts with them.

`spark.python.daemon.module` names it. A worker is a fork of the daemon, so nothing is loaded here
that leaves threads behind, as pandas and Arrow do (those of OpenBLAS end at a fork and restart),
and NumPy's random numbers are seeded again in each worker.
"""

import gc
import os
from importlib import import_module
from traceback import print_exc

from pyspark.daemon import manager


def main() -> None:
    """Load what workers need, if it is installed, and start workers until Spark ends the daemon."""
    try:
        getattr(import_module("muntin.columnar.embedding"), "preload")()  # noqa: B009 - not typed
        os.register_at_fork(after_in_child=import_module("numpy.random").seed)
    except ImportError:  # a worker that needs them will fail with the same message
        print_exc()
    gc.collect()
    gc.freeze()  # Spark runs the garbage collector of workers after each task
    manager()


if __name__ == "__main__":
    main()
