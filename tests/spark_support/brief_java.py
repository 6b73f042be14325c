"""How the Javas of tests are started, each of which lives for seconds."""

import os


def optimise_little() -> None:
    """Let each Java that is started from here optimise little: it takes a third less of time."""
    os.environ.setdefault("JAVA_TOOL_OPTIONS", "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC")
