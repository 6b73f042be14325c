"""Which rules would give this answer: the fewest departures from a dialect that explain it.

An answer is what a transcript expects. Departures are decisions that the windows of the trace can
show, and the output mode. All settings with one departure are tried, then with two, and so on,
until some give the answer. If none does, the nearest are kept, with what stays unexplained.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, islice, product
from typing import get_args

from muntin.conformance.dialects.named_dialects import Evidence, NamedDialect, named_dialects
from muntin.conformance.engines.inference import CHOICES, OF_WATERMARKS, SHOWN_BY
from muntin.conformance.transcript.expectations import Difference, JsonRow, differences
from muntin.conformance.transcript.json_reader import Json, JsonNode, encode
from muntin.conformance.transcript.model import OperatorTranscript, TranscriptStep, read_dialect
from muntin.conformance.transcript.replay import output_rows, replay, write_dialect
from muntin.reference.specification import SpecificationOperator
from muntin.spec.errors import InvalidInputError, MuntinError
from muntin.spec.query import Mode, Settings
from muntin.spec.stream import END, Event, Step

MAX_DEPARTURES = 3
OUTPUT = "output"
"""The output mode is no decision of a dialect, but engines differ in it as well."""

Departures = Mapping[str, Json]
"""Decisions that depart from those of the transcript, by name."""


@dataclass(frozen=True)
class Candidate:
    """Settings of the transcript with some departures, and the rows that differ from the answer."""

    departures: Departures
    settings: Settings
    unexplained: tuple[Difference, ...]


@dataclass(frozen=True)
class Explanation:
    """The candidates with the fewest departures that explain an answer; or the nearest."""

    candidates: tuple[Candidate, ...]
    tried: int
    engines: tuple[tuple[NamedDialect, Evidence], ...]
    """The engines whose dialects give the answer, and what is known of the decisions it shows."""

    @property
    def is_complete(self) -> bool:
        """Whether the answer is explained, up to the last row."""
        return not any(candidate.unexplained for candidate in self.candidates)


def explain(
    transcript: OperatorTranscript,
    max_departures: int = MAX_DEPARTURES,
    tick: Callable[[], None] = lambda: None,
) -> Explanation:
    """Explain what a transcript expects by departures from its dialect and output mode.

    >>> from muntin.conformance.transcript.model import parse
    >>> trace = parse('''{"muntin": 1, "expect": [{"start": 0, "end": 10, "value": 2}],
    ...   "queries": [{"id": "w", "window": {"type": "session", "gap": 5}, "aggregate": "count"}],
    ...   "steps": [{"events": [{"t": 0, "v": 1}, {"t": 5, "v": 1}], "watermark": "end"}]}''')
    >>> explanation = explain(trace)
    >>> [dict(candidate.departures) for candidate in explanation.candidates]
    [{'session_merge': 'le'}]
    """
    if transcript.expected.rows is None and transcript.expected.late is None:
        raise InvalidInputError(
            "the transcript expects nothing; write what the engine emitted into `expect`"
        )
    shown = alternatives(transcript)
    engines: list[tuple[NamedDialect, Evidence]] = [
        (engine, engine.evidence(shown))
        for engine in named_dialects().values()
        if _answers(transcript, engine)
    ]
    best, tried = list[Candidate](), 0
    for size in range(max_departures + 1):
        for departures in _departures(transcript, size):
            candidate, tried = _candidate(transcript, departures), tried + 1
            tick()
            if candidate and not (best and _distance(candidate) > _distance(best[0])):
                closer = not best or _distance(candidate) < _distance(best[0])
                best = [candidate] if closer else [*best, candidate]
        if best and not best[0].unexplained:
            break
    fewest = min((len(candidate.departures) for candidate in best), default=0)
    nearest = [candidate for candidate in best if len(candidate.departures) == fewest]
    return Explanation(tuple(nearest), tried, tuple(engines))


def _distance(candidate: Candidate) -> int:
    return len(candidate.unexplained)


def alternatives(transcript: OperatorTranscript) -> dict[str, tuple[Json, ...]]:
    """The values of each decision that the windows of a trace can show, other than its own."""
    kinds = {query.window.name for query in transcript.every_query()}
    shown = {name for kind in kinds for name in SHOWN_BY.get(kind, tuple(CHOICES))}
    names = [name for name in CHOICES if name in shown or name in OF_WATERMARKS]
    settings, dialect = transcript.settings, transcript.settings.dialect
    values: dict[str, tuple[Json, ...]] = {
        name: tuple(value for value in CHOICES[name] if value != getattr(dialect, name))
        for name in names
    }
    return {**values, OUTPUT: tuple(mode for mode in get_args(Mode) if mode != settings.output)}


def departure_count(transcript: OperatorTranscript, max_departures: int) -> int:
    """The number of settings with at most this many departures."""
    return sum(1 for size in range(max_departures + 1) for _ in _departures(transcript, size))


def _departures(transcript: OperatorTranscript, size: int) -> Iterator[dict[str, Json]]:
    values = alternatives(transcript)
    for names in combinations(values, size):
        for chosen in product(*(values[name] for name in names)):
            yield dict(zip(names, chosen, strict=True))


def departed_settings(settings: Settings, departures: Departures) -> Settings:
    """The settings with these decisions in place of their own."""
    decisions = {name: value for name, value in departures.items() if name != OUTPUT}
    dialect = read_dialect(JsonNode({**write_dialect(settings.dialect), **decisions}))
    output = JsonNode(departures.get(OUTPUT, settings.output), OUTPUT)
    return replace(settings, dialect=dialect, output=output.one_of(get_args(Mode)))


def specified_rows(transcript: OperatorTranscript, settings: Settings) -> list[JsonRow]:
    """The rows of the specification in other settings."""
    spoken = replace(transcript, settings=settings)
    outputs = replay(spoken, SpecificationOperator(settings))
    return [row for step, output in enumerate(outputs) for row in output_rows(step, output)]


def _candidate(transcript: OperatorTranscript, departures: Departures) -> Candidate | None:
    """How near some departures come; None, if the trace is not possible with them."""
    settings = departed_settings(transcript.settings, departures)
    try:
        rows = specified_rows(transcript, settings)
    except MuntinError:
        return None
    return Candidate(departures, settings, tuple(differences(transcript.expected, rows)))


def _answers(transcript: OperatorTranscript, engine: NamedDialect) -> bool:
    """Whether the dialect of an engine gives the answer, in the output mode of either."""
    settings = replace(transcript.settings, dialect=engine.dialect)
    for mode in dict.fromkeys((settings.output, engine.output)):
        try:
            rows = specified_rows(transcript, replace(settings, output=mode))
        except MuntinError:
            return False
        if not differences(transcript.expected, rows):
            return True
    return False


MAX_CONTINUATIONS = 600
"""How many continuations of a trace are tried to distinguish candidates."""


@dataclass(frozen=True)
class Separation:
    """A continuation of a trace on which candidates differ: which of them emit what in it."""

    steps: tuple[Step, ...]
    answers: tuple[tuple[tuple[Candidate, ...], tuple[JsonRow, ...]], ...]

    @property
    def event(self) -> Event:
        """The further event."""
        return self.steps[-1].events[0]


def separation(
    transcript: OperatorTranscript, candidates: Sequence[Candidate]
) -> Separation | None:
    """One more event, perhaps after a watermark, that distinguishes as many candidates as any.

    It is followed by the end of the stream. None, if no such event distinguishes any.
    """
    turns = [turn for turn in transcript.turns if turn.step.watermark != END]
    events = [event for turn in turns for event in turn.step.events]
    best: Separation | None = None
    if events and len(candidates) > 1:
        for steps in islice(_continuations(transcript, events), MAX_CONTINUATIONS):
            tried = _separation(transcript, turns, steps, candidates)
            if len(tried.answers) > max(1, len(best.answers) if best else 1):
                best = tried
            if best and len(best.answers) == len(candidates):
                break
    return best


def _continuations(
    transcript: OperatorTranscript, events: Sequence[Event]
) -> Iterator[tuple[Step, ...]]:
    """An event at the times of a trace and the edges it expects, or next to them; a watermark."""
    watermarks = [turn.step.watermark for turn in transcript.turns]
    places = {event.time for event in events} | {int(w) for w in watermarks if w not in (None, END)}
    for row in transcript.expected.rows or ():
        edges = (row.get("start"), row.get("end"))
        places |= {edge for edge in edges if isinstance(edge, int)}
    times = sorted({place + shift for place in places for shift in (-1, 0, 1)})
    furthest = times[-1] + max(times[-1] - times[0], 10)
    for watermark in (None, *times, furthest):
        before = () if watermark is None else (Step((), watermark),)
        for time in times:
            yield *before, Step((replace(events[-1], time=time),), END)


def _separation(
    transcript: OperatorTranscript,
    turns: Sequence[TranscriptStep],
    steps: tuple[Step, ...],
    candidates: Sequence[Candidate],
) -> Separation:
    longer = replace(transcript, turns=(*turns, *map(TranscriptStep, steps)))
    groups = dict[str, tuple[list[Candidate], tuple[JsonRow, ...]]]()
    for candidate in candidates:
        try:
            rows = specified_rows(longer, candidate.settings)
        except MuntinError:
            continue
        last = tuple(row for row in rows if row["step"] in range(len(turns), len(longer.turns)))
        groups.setdefault(str(last), (list[Candidate](), last))[0].append(candidate)
    answers = tuple((tuple(members), last) for members, last in groups.values())
    return Separation(steps, answers)


def departure_text(departures: Departures) -> str:
    """Departures in a line.

    >>> departure_text({"session_merge": "le", "closing": 1}), departure_text({})
    ('session_merge: le, closing: 1', 'no departure')
    """
    words = [f"{name}: {encode(value)}" for name, value in departures.items()]
    return ", ".join(words) or "no departure"


MAX_EVENTS = 40
"""The most events of a trace that is explained unless it is asked for."""


def explanation_line(transcript: OperatorTranscript) -> str:
    """A sentence on what explains an answer with at most two departures; empty for long traces."""
    if sum(len(turn.step.events) for turn in transcript.turns) > MAX_EVENTS:
        return ""
    explanation = explain(transcript, 2)
    first, *others = explanation.candidates or [None]
    if not explanation.is_complete or first is None or not first.departures:
        return f"none of {explanation.tried} dialects gives this answer: perhaps a fault"
    names = ", ".join(f"{engine.name} ({evidence})" for engine, evidence in explanation.engines)
    more = f", or {len(others)} other dialects" if others else ""
    return (
        f"explained by {departure_text(first.departures)}{more}{f'; as {names}' if names else ''}"
    )
