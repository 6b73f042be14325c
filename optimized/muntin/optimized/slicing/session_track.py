"""Sessions, discretised: an event less than the gap after the last belongs to its session."""

from muntin.optimized.slicing.extent import Extent
from muntin.optimized.slicing.slices import Slices
from muntin.optimized.slicing.track import At, Track
from muntin.spec.data_driven import Session
from muntin.spec.measure import TIME
from muntin.spec.query import Query, Settings


class SessionTrack(Track):
    """At most one session is open."""

    def __init__(
        self, kind: Session, query: Query, settings: Settings, since: float, born: int
    ) -> None:
        """Start with no event."""
        super().__init__(query, settings, since, born)
        self.gap = kind.gap
        self.reach = int(settings.dialect.session_merge == "le")
        self.short = settings.dialect.session_end == "last"

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
        due = self.due_while_open(closes)
        if k is None:
            opened = Extent(at.coordinate, shown, at.ordinal, closes + self.reach, due)
            self.open(slices, opened)
        else:
            self.live[k] = self.live[k]._replace(end=shown, closes=closes + self.reach, due=due)
