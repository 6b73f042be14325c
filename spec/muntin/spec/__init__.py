"""The specification: what every window operator must compute, and at what cost.

>>> from muntin.spec import Event, Query, Settings, Step, denote, named, session, tumbling
>>> sums = Query("sums", tumbling(10), named("sum"))
>>> visits = Query("visits", session(6), named("count"))
>>> steps = [Step((Event(12, 1), Event(7, 2)), watermark=20), Step((Event(18, 4),))]
>>> for output in denote([sums, visits], steps, Settings(allowed_lateness=5)):
...     print([(r.query, r.start, r.end, r.value, r.kind) for r in output.results])
[('sums', 0, 10, 2, 'new'), ('visits', 7, 18, 2, 'new'), ('sums', 10, 20, 1, 'new')]
[('sums', 10, 20, 5, 'updated')]

- Streams: Event and Step come in; Output holds Result rows and late events; END closes a stream.
- Windows: a lower-case function for each type, such as `sliding` or `rolling`, has an example.
- Aggregates: `named("mean")`, or an Aggregate over a Monoid, which `counterexample` checks.
- Runs: Settings and Dialect. Engines: Operator, OutOfOrder and Fifo, held to this definition.

To read all of it: `stream`, `dialect`, `algebra`, `windows`; then `query` and `denotation`.
"""

from muntin.spec.algebra.aggregate import Aggregate, AnyAggregate
from muntin.spec.algebra.catalogue import named, named_keeping_nulls, skipping_nulls
from muntin.spec.algebra.laws import counterexample
from muntin.spec.algebra.monoid import Monoid
from muntin.spec.denotation import denote
from muntin.spec.dialect import OURS, Dialect
from muntin.spec.errors import (
    EmptyWindowError,
    InvalidInputError,
    MuntinError,
    UnsupportedError,
    UserCodeError,
)
from muntin.spec.operator import Operator
from muntin.spec.query import DEFAULTS, Mode, Output, Query, Result, Settings
from muntin.spec.stream import END, Event, Step
from muntin.spec.structure import Fifo, OutOfOrder
from muntin.spec.windows.data_driven import (
    LastNEvery,
    Punctuation,
    Rolling,
    Session,
    last_n_every,
    punctuation,
    rolling,
    session,
    slide_by_tuple,
)
from muntin.spec.windows.frames import Delta, State, Threshold, delta, state, threshold
from muntin.spec.windows.measure import COUNT, TIME, Measure, PositionedEvent, Timeline
from muntin.spec.windows.periodic import (
    Band,
    Cumulate,
    Landmark,
    PeriodicWindow,
    Sliding,
    band,
    count,
    cumulate,
    instant_windows,
    landmark,
    sliding,
    tumbling,
)
from muntin.spec.windows.user_defined import UserTrigger, UserWindow, user_trigger, user_window
from muntin.spec.windows.window import ContextFreeWindow, Interval, WindowType

__all__ = [
    "COUNT", "DEFAULTS", "END", "OURS", "TIME", "Aggregate", "AnyAggregate", "Band",
    "ContextFreeWindow", "Cumulate", "Delta", "Dialect", "EmptyWindowError", "Event", "Fifo",
    "Interval", "InvalidInputError", "Landmark", "LastNEvery", "Measure", "Mode", "Monoid",
    "MuntinError", "Operator", "OutOfOrder", "Output", "PeriodicWindow", "PositionedEvent",
    "Punctuation", "Query", "Result", "Rolling", "Session", "Settings", "Sliding", "State", "Step",
    "Threshold", "Timeline", "UnsupportedError", "UserCodeError", "UserTrigger", "UserWindow",
    "WindowType", "band", "count", "counterexample", "cumulate", "delta", "denote",
    "instant_windows", "landmark", "last_n_every", "named", "named_keeping_nulls", "punctuation",
    "rolling", "session", "skipping_nulls", "slide_by_tuple", "sliding", "state", "threshold",
    "tumbling", "user_trigger", "user_window",
]  # fmt: skip
