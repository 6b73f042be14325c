"""A toy engine in which a fault can be planted, for the kit to find.

Like Flink: late by window, late updates at once, accumulating. Without a fault it is right.
"""

from collections.abc import Iterable, Iterator

from muntin.wire import EngineDescription, StepAdapter, WireEvent, WireTrace, late, result
from muntin.wire.messages import Row

FAULTS = (
    *("merges at the gap", "extends sessions to the right only", "bridge loses the third session"),
    *("late before it merges", "never expires", "truncates negative times", "end is inclusive"),
    *("negative windows never fire", "ignores the offset", "closes late", "limit off by one"),
    *("loses a tie with the watermark", "no lateness for sessions", "loses late updates"),
    *("hops on multiples only", "reopens what it forgot", "emits twice", "watermark falls"),
    *("no flush at the end", "mixes the null key", "reverses ties", "emits if the count doubled"),
    *("drops the value 0", "wraps at 32 bits"),
)
"""Each fault of DESIGN_KIT 9; those of the second half were seen in engines."""

Span = tuple[str | None, int, int]
Item = tuple[int, int]
"""A time and a value."""


class ToyEngine(StepAdapter):
    """Windows in a dictionary, and one fault."""

    description = EngineDescription(
        "toy",
        "1",
        ("tumbling", "sliding", "session"),
        outputs=("accumulate",),
        clock="explicit",
        level="steps",
        late=True,
        lateness=True,
        offsets=True,
    )

    def __init__(self, fault: str = "") -> None:
        self._fault = fault

    def start(self, trace: WireTrace) -> None:
        self._trace, self._watermark = trace, float("-inf")
        self._windows: dict[Span, list[Item]] = {}
        self._emitted: dict[Span, int] = {}
        shortened = self._fault == "no lateness for sessions" and trace.window == "session"
        self._lateness = 0 if shortened else trace.allowed_lateness

    def has(self, fault: str) -> bool:
        assert fault in FAULTS, fault
        return self._fault == fault

    def process_event(self, event: WireEvent) -> Iterator[Row]:
        if self.has("drops the value 0") and event.value == 0:
            return
        key = event.key
        if self.has("mixes the null key") and any(span[0] == "k" for span in self._windows):
            key = key or "k"
        session = self._trace.window == "session"
        place = self._merged if session else self._periodic
        spans = [span for start, end in self._spans(event.time) if (span := place(key, start, end))]
        for span in spans:
            items = self._windows.setdefault(span, [])
            if not (self.has("loses a tie with the watermark") and event.time == self._watermark):
                items.append((event.time, event.value))
            if self._is_due(span) and not self.has("loses late updates"):
                yield from self._emit(span)
        if not spans:
            yield late(event)

    def process_watermark(self, time: float) -> Iterator[Row]:
        if time == float("inf") and self.has("no flush at the end"):
            return
        fell = self.has("watermark falls")
        self._watermark = time if fell else max(time, self._watermark)
        for span in sorted(self._windows, key=lambda span: (span[2], span[1])):
            again = self.has("emits twice") and self._watermark < float("inf")
            if self._is_due(span) and (again or span not in self._emitted):
                yield from self._emit(span)
        for span in [span for span in self._windows if self._is_expired(span[2])]:
            if not self.has("never expires"):
                del self._windows[span]

    def _spans(self, time: int) -> Iterable[tuple[int, int]]:
        trace = self._trace
        if trace.window == "session":
            return [(time, time + trace.parameter("gap"))]
        size = trace.parameter("size")
        slide = trace.parameter("slide", size)
        offset = 0 if self.has("ignores the offset") else trace.parameter("offset", 0)
        if self.has("wraps at 32 bits"):
            time = (time + 2**31) % 2**32 - 2**31
        last = time - (time - offset) % slide
        if self.has("truncates negative times") and time < offset and last < time:
            last += slide
            return [(start, start + size) for start in range(last, last - size, -slide)]
        if self.has("end is inclusive") and last == time and size == slide:
            last -= slide
            return [(last, time)]
        return [(start, start + size) for start in range(last, time - size, -slide)]

    def _is_expired(self, end: float) -> bool:
        by = end + self._lateness
        return by < self._watermark if self.has("limit off by one") else by <= self._watermark

    def _is_due(self, span: Span) -> bool:
        _, start, end = span
        if self.has("negative windows never fire") and end <= 0:
            return False
        hops = self.has("hops on multiples only") and self._trace.window == "sliding"
        if hops and (end - start) % self._trace.parameter("slide"):
            return False
        return end < self._watermark if self.has("closes late") else end <= self._watermark

    def _periodic(self, key: str | None, start: int, end: int) -> Span | None:
        forgot = self.has("reopens what it forgot") and all(w[0] != key for w in self._windows)
        return None if self._is_expired(end) and not forgot else (key, start, end)

    def _merged(self, key: str | None, start: int, end: int) -> Span | None:
        """The session that holds the event, which takes the place of those it overlaps."""
        if self.has("late before it merges") and self._is_expired(end):
            return None
        near = int(self.has("merges at the gap"))
        spans = [w for w in self._windows if w[0] == key]
        spans = [w for w in spans if w[1] < end + near and start < w[2] + near]
        if self.has("extends sessions to the right only"):
            spans = [span for span in spans if span[1] <= start]
        if self.has("bridge loses the third session") and len(spans) > 1:
            del self._windows[spans.pop()]
        whole = (key, min([start, *(w[1] for w in spans)]), max([end, *(w[2] for w in spans)]))
        if self._is_expired(whole[2]) and not (self.has("never expires") and spans):
            return None
        items = [item for span in spans for item in self._windows.pop(span)]
        for span in spans:
            self._emitted.pop(span, None)
        self._windows[whole] = items
        return whole

    def _emit(self, span: Span) -> Iterator[Row]:
        items = self._windows[span]
        doubled = self._emitted.get(span) == len(items) // 2
        if not items or (self.has("emits if the count doubled") and doubled):
            return
        self._emitted[span] = len(items)
        arrived = items[::-1] if self.has("reverses ties") else items
        values = [value for _, value in sorted(arrived, key=lambda item: item[0])]
        yield result(span[1], span[2], values, span[0])
