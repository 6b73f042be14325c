"""Adapters that break the rules of the wire, each in its way: `faulty.py FAULT`."""

import json
import os
import subprocess
import sys
import time
from pathlib import Path

HELLO = {"type": "hello", "engine": "faulty", "version": "1", "windows": ["tumbling"]}
RESULT = {"start": 0, "end": 5, "value": [0]}


def send(**message: object) -> None:
    sys.stdout.write(json.dumps(message) + "\n")
    sys.stdout.flush()


REPLIES: dict[str, dict[str, object]] = {
    "another id": {"id": 11},
    "too few answers": {"answers": []},
    "no start": {"answers": [{"results": [{"end": 5, "value": []}]}]},
    "an unknown step": {"answers": [{"results": [{**RESULT, "step": 9}]}]},
    "an unknown field": {"answers": [{"results": [], "watermark": 3}]},
    "nothing in an answer": {"answers": [{}]},
}
"""Wrong fields of a reply."""


def misbehave(fault: str, traces: int) -> None:
    """What goes wrong before the reply."""
    if fault == "hang":
        time.sleep(60)
    if fault == "hang with a child":
        subprocess.run(["sleep", "60"], check=True)  # noqa: S607 - our own words
    if fault == "crash":
        sys.stderr.write("the engine has no memory left\n")
    once = fault == "crash once" and not Path("crashed").exists()
    if once:
        Path("crashed").touch()
    if once or fault == "crash" or (fault == "crash in a pack" and traces > 1):
        os._exit(7)
    sys.stdout.write({"rubbish": "WARN: slow query\n", "a list": "[1, 2]\n"}.get(fault, ""))


def answer(fault: str, number: int, traces: int) -> None:
    misbehave(fault, traces)
    reply: dict[str, object] = {"id": number, "answers": [{"results": [RESULT]}] * traces}
    for _ in range(2 if fault == "twice" else 1):
        send(type="results", **{**reply, **REPLIES.get(fault, {})})


def main(fault: str) -> None:
    for line in sys.stdin:
        request = json.loads(line)
        if request["op"] != "hello":
            answer(fault, request["id"], len(request["traces"]))
        elif fault == "no hello":
            sys.exit("the engine is not installed")
        elif fault == "hello without a version":
            send(type="hello", engine="faulty", windows="tumbling")
        elif fault == "hello of version 2":
            send(**HELLO, muntin=2)
        elif fault == "unknown window":
            send(**{**HELLO, "windows": "hopping"})
        else:
            send(**HELLO, max_traces=2 if fault == "crash in a pack" else 1)


if __name__ == "__main__":
    main(sys.argv[1])
