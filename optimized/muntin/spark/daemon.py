"""Spark's daemon for Python workers, with the kernels loaded before: each worker has them at once.

`spark.python.daemon.module` names it. A worker is a fork of the daemon, so nothing is loaded here
that leaves threads behind, as pandas and Arrow do (those of OpenBLAS end at a fork, and begin
anew), and what NumPy draws at random is seeded anew in each.
"""

import gc
import os
from importlib import import_module
from traceback import print_exc

from pyspark.daemon import manager


def main() -> None:
    """Load what workers need, as far as it can be, and start workers until Spark ends this."""
    try:
        import_module("muntin.kernels.slicing.operator")
        os.register_at_fork(after_in_child=import_module("numpy.random").seed)
    except ImportError:  # which a worker will say again if it needs them
        print_exc()
    gc.collect()
    gc.freeze()  # Spark lets workers look for garbage after each task
    manager()


if __name__ == "__main__":
    main()
