"""A Spark session on this machine, with the settings that suit this package best."""

import os
import shutil
import sys
from collections.abc import Mapping
from pathlib import Path

from pyspark.sql import SparkSession

from muntin.spec.errors import MuntinError

ROCKS = "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider"
CHECKPOINTING = "org.apache.spark.sql.execution.streaming.checkpointing"
SETTINGS: Mapping[str, str] = {
    "spark.sql.execution.arrow.maxBytesPerBatch": "2147483647",  # or each row is measured
    "spark.sql.execution.arrow.maxRecordsPerBatch": "50000",
    "spark.sql.streaming.stateStore.providerClass": ROCKS,
    "spark.sql.streaming.stateStore.rocksdb.changelogCheckpointing.enabled": "true",
    "spark.sql.streaming.checkpointFileManagerClass": (  # which looks at checksums on a local disk
        f"{CHECKPOINTING}.FileSystemBasedCheckpointFileManager"
    ),
    "spark.sql.session.timeZone": "UTC",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
}

DAEMON = {"spark.python.daemon.module": "muntin.spark.daemon"}
"""Workers whose Python has no muntin do not start with it. It was tried on Linux."""


def java() -> Path:
    """The java that Spark would start; without one, an error names what to install."""
    home = os.environ.get("JAVA_HOME")
    path = shutil.which("java", path=str(Path(home) / "bin")) if home else shutil.which("java")
    if path is None:
        problem = f"JAVA_HOME is {home}, and it has no bin/java" if home else "none is on the path"
        raise MuntinError(
            f"Spark needs Java 17 or 21: {problem}. Install one (Debian: apt install "
            "openjdk-17-jre-headless; macOS: brew install openjdk@17), or set JAVA_HOME"
        )
    return Path(path)


def local_session(
    name: str = "muntin", master: str = "local[*]", settings: Mapping[str, str] | None = None
) -> SparkSession:
    """A session whose workers run the Python of the caller."""
    java()
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    builder = SparkSession.builder.appName(name).master(master)
    daemon = DAEMON if sys.platform == "linux" else {}
    for key, value in {**SETTINGS, **daemon, **(settings or {})}.items():
        builder = builder.config(key, value)
    return builder.getOrCreate()
