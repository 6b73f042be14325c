"""Session windows, written without muntin."""

from dataclasses import dataclass, field


@dataclass
class OpenSession:
    start: int
    end: int
    items: list[tuple[int, int]] = field(default_factory=list)  # time and value
    emitted: bool = False


class Sessions:
    """Sessions of each key; an event is late if its session is older than the lateness."""

    def __init__(self, gap, lateness):
        self.gap, self.lateness, self.watermark = gap, lateness, float("-inf")
        self.open = {}

    def push(self, key, time, value):
        """Add an event: the windows to emit now, or None if it is too late."""
        sessions = self.open.setdefault(key, [])
        touched = [s for s in sessions if s.start < time + self.gap and time < s.end][:1]
        merged = OpenSession(
            min([time, *(s.start for s in touched)]),
            max([time + self.gap, *(s.end for s in touched)]),
            sorted(
                [*(item for s in touched for item in s.items), (time, value)],
                key=lambda item: item[0],
            ),
        )
        if merged.end + self.lateness <= self.watermark:
            return None
        self.open[key] = [s for s in sessions if s not in touched] + [merged]
        return self.emit(key, merged) if merged.end <= self.watermark else []

    def advance(self, watermark):
        """Advance the watermark: the windows that it completes."""
        self.watermark = max(self.watermark, watermark)
        windows = []
        for key, sessions in self.open.items():
            for session in sessions:
                if session.end <= self.watermark and not session.emitted:
                    windows += self.emit(key, session)
            self.open[key] = [s for s in sessions if s.end + self.lateness > self.watermark]
        return windows

    def emit(self, key, session):
        session.emitted = True
        return [(session.start, session.end, [value for _, value in session.items], key)]
