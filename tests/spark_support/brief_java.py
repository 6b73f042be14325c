"""Options of the Java processes of tests, which live for seconds."""

import os


def optimise_little() -> None:
    """Limit the compiler of each Java that is started later, which saves a third of the time."""
    os.environ.setdefault("JAVA_TOOL_OPTIONS", "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC")
