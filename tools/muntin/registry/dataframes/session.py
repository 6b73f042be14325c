"""A Spark session for differential runs, with an error that names what is missing."""

import os
import re
import subprocess
import sys
from collections.abc import Generator
from contextlib import contextmanager, suppress
from importlib import import_module
from pathlib import Path

from pyspark.errors import PySparkRuntimeError
from pyspark.sql import SparkSession

from muntin.spark.spark_session import java, local_session
from muntin.spec.errors import MuntinError

Session = SparkSession

MIN_JAVA = 17
LOGGING = Path(__file__).with_name("log4j2.properties")
SETTINGS = {
    "spark.sql.adaptive.enabled": "false",  # it would merge tasks that run for seconds
    "spark.sql.caseSensitive": "true",  # columns may differ in case only
    "spark.sql.legacy.parquet.nanosAsLong": "true",  # else Spark refuses files that have any
    "spark.sql.autoBroadcastJoinThreshold": "-1",  # no frame is small enough
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.driver.host": "127.0.0.1",
    "spark.driver.memory": "4g",
    "spark.network.timeout": "7d",  # a computer may sleep for longer than two minutes
    "spark.driver.extraJavaOptions": f"-Dlog4j2.configurationFile={LOGGING.as_uri()}",
}

JVM_LOST = import_module("py4j.protocol").Py4JNetworkError, ConnectionRefusedError
"""The errors that mean Java has ended during a run."""


START_ERRORS = import_module("py4j.protocol").Py4JJavaError, PySparkRuntimeError
"""The errors that mean Spark does not start."""


@contextmanager
def session(master: str = "local[*]") -> Generator[SparkSession]:
    """Start Spark, and stop it at the end."""
    check_java()
    started = _started(master)
    # Workers import what the driver can import: an operator of the user's own, for example.
    path = os.pathsep.join(folder for folder in sys.path if folder)
    started.sparkContext.environment["PYTHONPATH"] = path
    try:
        yield started
    except JVM_LOST as lost:
        raise MuntinError(
            "Java, in which Spark runs, has ended during the run: unless an error above says "
            "otherwise, it was killed or ran out of memory. Run the command again; with "
            "--journal FILE it resumes after the last complete chunk"
        ) from lost
    finally:
        with suppress(*JVM_LOST):
            started.stop()


def _started(master: str) -> SparkSession:
    """Start Spark; an error has the first line of Spark's that names an exception."""
    try:
        return local_session("muntin diff", master, SETTINGS)
    except START_ERRORS as error:
        lines = [line.removeprefix(": ") for line in str(error).splitlines()] or [""]
        why = next((line for line in lines if "Exception" in line), lines[0])
        raise MuntinError(f"Spark can't be started with --master {master}: {why}") from error


def check_java() -> None:
    """Raise unless there is a Java that Spark can run on."""
    path = str(java())
    run = subprocess.run([path, "-version"], capture_output=True, text=True, check=False)  # noqa: S603 - the Java that Spark would run
    version = re.search(r'version "(\d+)', run.stderr)
    if version is None or int(version[1]) < MIN_JAVA:
        other = version[1] if version else f"no version in its output ({run.stderr.strip()!r})"
        raise MuntinError(f"Spark needs Java {MIN_JAVA} or later, and {path} has {other}")
