"""pandas: `Grouper` with the origin 1970-01-01, and `rolling` over an index of times."""

from collections.abc import Iterator

import pandas as pd

from muntin.wire import EngineDescription, UnsupportedTraceError, WireTrace, result, serve
from muntin.wire.messages import Row


def replay(trace: WireTrace) -> Iterator[Row]:
    """The events of each key as one frame; what has no key has the key `None`."""
    frame = pd.DataFrame(
        {
            "t": pd.to_datetime([event.time for event in trace.events], unit="s"),
            "key": [event.key or "" for event in trace.events],
            "v": [event.value for event in trace.events],
        }
    ).sort_values("t", kind="stable")
    if trace.window not in ("tumbling", "rolling"):
        raise UnsupportedTraceError(f"pandas has no {trace.window} windows")
    for key, part in frame.groupby("key"):
        windows = tumbling(trace, part) if trace.window == "tumbling" else rolling(trace, part)
        for start, size, values in windows:
            yield result(start, start + size, values, key or None)


def tumbling(trace: WireTrace, part: pd.DataFrame) -> Iterator[tuple[int, int, list[int]]]:
    """The windows that are not empty; pandas has a group for the empty ones between them too."""
    size, offset = trace.parameter("size"), trace.parameter("offset", 0)
    grouper = pd.Grouper(
        key="t",
        freq=f"{size}s",
        closed="left",
        label="left",
        origin="epoch",
        offset=pd.Timedelta(seconds=offset),
    )
    for label, values in part.groupby(grouper)["v"]:
        if len(values):
            yield int(label.timestamp()), size, values.tolist()


def rolling(trace: WireTrace, part: pd.DataFrame) -> Iterator[tuple[int, int, list[int]]]:
    """A window for each event, which holds the rows up to its own."""
    size = trace.parameter("size")
    indexed = part.set_index("t")["v"].rolling(f"{size}s", closed="right")
    for label, values in zip(part["t"], indexed, strict=True):
        yield int(label.timestamp()) - size + 1, size, values.tolist()


serve(
    EngineDescription(
        "pandas",
        pd.__version__,
        ["tumbling", "rolling"],
        offsets=True,
        min_time=-9_000_000_000,
        max_time=9_000_000_000,
    ),
    replay,
)
