"""An adapter in the form of steps, which needs no JSON for requests: it counts events.

`steps.py FAULT` breaks a rule.
"""

import re
import sys

HELLO = (
    '{"type":"hello","engine":"steps","version":"1","windows":"tumbling session","form":"steps",'
    '"clock":"explicit","level":"steps","late":1,"outputs":"accumulate","aggregates":"count"}'
)


def number(line: str, name: str) -> int:
    match = re.search(rf'"{name}": ?(-?\d+)', line)
    return int(match[1]) if match else 0


def replies(line: str, fault: str, counts: list[int]) -> list[str]:
    match = re.search(r'"op": ?"(\w+)"', line)
    op = match[1] if match else ""
    if op == "hello":
        return [HELLO]
    last = f'{{"type":"done","id":{number(line, "id") - (fault == "old id")}}}'
    rows: list[str] = []
    if op == "start":
        counts[:] = [0, 0]
        if '"session"' in line:
            return [f'{{"type":"unsupported","id":{number(line, "id")},"why":"no sessions"}}']
    elif op == "event":
        if number(line, "t") < counts[1]:
            rows = [f'{{"type":"late","v":{number(line, "v")}}}']
        else:
            counts[0] += 1
    elif op == "watermark":
        counts[1] = number(line, "t")
    elif op == "end":
        rows = [f'{{"type":"result","start":0,"end":5,"value":{counts[0]},"kind":"new"}}']
    if fault == "another type" and op == "end":
        rows = ['{"type":"window","start":0}']
    return [*rows, last, *([last] if fault == "done twice" and op == "event" else [])]


def main(fault: str) -> None:
    counts = [0, 0]
    for line in sys.stdin:
        for reply in replies(line, fault, counts):
            sys.stdout.write(reply + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main("".join(sys.argv[1:]))
