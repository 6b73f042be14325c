"""A local Spark session for differential runs, or a clear word on what is missing."""

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

from muntin.spark.session import java, local_session
from muntin.spec.errors import MuntinError

Session = SparkSession

LEAST_JAVA = 17
LOGGING = Path(__file__).with_name("log4j2.properties")
SETTINGS = {
    "spark.sql.adaptive.enabled": "false",  # it would join the tasks that run for seconds
    "spark.sql.caseSensitive": "true",  # a file may have columns that differ in nothing else
    "spark.sql.legacy.parquet.nanosAsLong": "true",  # or a file that has any is refused whole
    "spark.sql.autoBroadcastJoinThreshold": "-1",  # nothing here is small for long
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.driver.host": "127.0.0.1",
    "spark.driver.memory": "4g",
    "spark.network.timeout": "7d",  # a computer may be asleep for longer than two minutes
    "spark.driver.extraJavaOptions": f"-Dlog4j2.configurationFile={LOGGING.as_uri()}",
}

JVM_LOST = import_module("py4j.protocol").Py4JNetworkError, ConnectionRefusedError
"""What is raised where there was a Java, and is none any more."""


FAILED = import_module("py4j.protocol").Py4JJavaError, PySparkRuntimeError
"""What is raised where Spark does not start."""


@contextmanager
def session(master: str = "local[*]") -> Generator[SparkSession]:
    """Start Spark on this machine, and stop it at the end."""
    check_java()
    started = _started(master)
    # What the driver can import, its workers can.
    path = os.pathsep.join(one for one in sys.path if one)
    started.sparkContext.environment["PYTHONPATH"] = path
    try:
        yield started
    except JVM_LOST as gone:
        raise MuntinError(
            "Java, in which Spark runs, has ended on the way: it was killed, or had too little "
            "memory, if it says nothing else above. Run the command again; with --journal FILE "
            "it goes on after the last chunk that was judged"
        ) from gone
    finally:
        with suppress(*JVM_LOST):
            started.stop()


def _started(master: str) -> SparkSession:
    """Start Spark, or say why it does not start."""
    try:
        return local_session("muntin diff", master, SETTINGS)
    except FAILED as error:
        known = [line.removeprefix(": ") for line in str(error).splitlines()]
        why = next((line for line in known if "Exception" in line), known[0] if known else "")
        raise MuntinError(f"Spark can't be started with --master {master}: {why}") from error


def check_java() -> None:
    """Say so if there is no Java that Spark can run on."""
    found = str(java())
    told = subprocess.run([found, "-version"], capture_output=True, text=True, check=False)  # noqa: S603 - the Java that Spark would run
    version = re.search(r'version "(\d+)', told.stderr)
    if version is None or int(version[1]) < LEAST_JAVA:
        other = version[1] if version else f"no version that it tells ({told.stderr.strip()!r})"
        raise MuntinError(f"Spark needs Java {LEAST_JAVA} or later, and {found} has {other}")
