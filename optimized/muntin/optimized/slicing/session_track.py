"""Sessions, discretised: an event less than the gap after the last belongs to its session."""

from muntin.optimized.slicing.extent import Extent
from muntin.optimized.slicing.slices import Slices
from muntin.optimized.slicing.track import At, Request, Track
from muntin.spec.data_driven import Session
from muntin.spec.measure import TIME


class SessionTrack(Track):
    """At most one session is open."""

    def __init__(self, kind: Session, request: Request) -> None:
        """Start with no event."""
        super().__init__(request)
        self.gap = kind.gap
        self.reach = int(self.settings.dialect.session_merge == "le")
        self.short = self.settings.dialect.session_end == "last"

    def idle(self) -> bool:
        """Whether no session is open, in time."""
        return self.measure is TIME and not self.live

    def place(self, slices: Slices[object], at: At, /) -> None:
        """Extend the session, or close it and open another."""
        self.close_before(slices, at)
        end = at.coordinate + (at.event.gap or self.gap)
        k = next((k for k, one in enumerate(self.live) if one.stop is None), None)
        closes = end if k is None else max(end, int(self.live[k].closes) - self.reach)
        shown = at.coordinate + 1 if self.short else closes
        row = closes if self.short else 0
        if k is None:
            self.open(slices, Extent(at.coordinate, shown, at.ordinal, closes, None))
            k = -1
        self.live[k] = self.live[k]._replace(
            end=shown, closes=closes + self.reach, due=self.due_while_open(closes), row=row
        )
