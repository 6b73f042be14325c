"""A cluster of Spark's own on two hosts, which are both this machine.

Spark runs a copy of a slow task on another host only. Every address of 127.0.0.0/8 is this machine
on Linux, so two workers at two of them are two hosts to Spark.
"""

import os
import socket
import subprocess
from collections.abc import Generator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pyspark

from spark_support.faults.harness import TESTS, kill_with_descendants

HOSTS = ("127.0.0.1", "127.0.0.2")
DAEMON = "org.apache.spark.deploy"


@contextmanager
def two_hosts(folder: Path) -> Generator[str]:
    """Run a master and two workers with two cores each; yields the address of the master."""
    with socket.create_server((HOSTS[0], 0)) as port_socket:
        port = str(port_socket.getsockname()[1])
    address = f"spark://{HOSTS[0]}:{port}"
    with ExitStack() as stack:
        master = ["--host", HOSTS[0], "--port", port, "--webui-port", "0"]
        stack.enter_context(daemon(folder, "master.Master", master))
        for host in HOSTS:
            size = ["--cores", "2", "--memory", "2g", "--work-dir", str(folder / host)]
            arguments = ["--host", host, "--webui-port", "0", *size, address]
            stack.enter_context(daemon(folder, "worker.Worker", arguments))
        yield address


@contextmanager
def daemon(folder: Path, name: str, arguments: list[str]) -> Generator[None]:
    """Run a daemon of Spark, and kill it with its descendants."""
    home = Path(pyspark.__file__).parent
    env = {"SPARK_HOME": str(home), "SPARK_DAEMON_MEMORY": "256m", "PYTHONPATH": str(TESTS)}
    with (folder / "daemons").open("a") as log:
        process = subprocess.Popen(  # noqa: S603 - our own command
            [str(home / "bin" / "spark-class"), f"{DAEMON}.{name}", *arguments],
            stdout=log,
            stderr=log,
            text=True,
            start_new_session=True,
            env={**os.environ, **env},
        )
    try:
        yield
    finally:
        kill_with_descendants(process)
