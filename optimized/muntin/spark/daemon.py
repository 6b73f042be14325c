"""Spark's daemon for Python workers, with the kernels loaded before: each worker has them at once.

`spark.python.daemon.module` names it. A worker is a fork of the daemon, so nothing is loaded here
that leaves threads behind, as pandas and Arrow do; NumPy's end at a fork, and begin anew.
"""

from importlib import import_module

from pyspark.daemon import manager

if __name__ == "__main__":
    import_module("muntin.kernels.slicing.operator")
    manager()
