"""A right adapter in the form of traces: tumbling windows, in pure Python."""

from collections import defaultdict

from muntin.wire import EngineDescription, WireEvent, WireTrace, result, serve
from muntin.wire.messages import Row

DESCRIPTION = EngineDescription("tumbling", "1", ["tumbling"], offsets=True, max_traces=3)


def replay(trace: WireTrace) -> list[Row]:
    print("a line of the engine, on stdout")  # noqa: T201 - it must not reach the replies
    size, offset = trace.parameter("size"), trace.parameter("offset", 0)
    windows = defaultdict[tuple[str | None, int], list[WireEvent]](list)
    for event in trace.events:
        windows[event.key, event.time - (event.time - offset) % size].append(event)
    return [
        result(start, start + size, [e.value for e in sorted(events, key=lambda e: e.time)], key)
        for (key, start), events in windows.items()
    ]


if __name__ == "__main__":
    serve(DESCRIPTION, replay)
