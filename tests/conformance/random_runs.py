"""Random traces over queries that transcripts can describe."""

from typing import NamedTuple

from hypothesis import strategies as st

from muntin.conformance.machines.strategies import BASES, settings, window_types
from muntin.conformance.transcript.json_reader import Json
from muntin.conformance.transcript.model import TranscriptStep
from muntin.conformance.transcript.replay import write
from muntin.conformance.transcript.windows import write_window
from muntin.spec.algebra.catalogue import named
from muntin.spec.denotation import History, add, remove, step
from muntin.spec.errors import InvalidInputError, UnsupportedError
from muntin.spec.query import Output, Query, Settings
from muntin.spec.stream import END, Event, Step
from muntin.spec.windows.window import WindowType

AGGREGATES = ("sum", "collect", "max", "mean", "median", "first", "var_pop", "distinct", "count")


class RandomRun(NamedTuple):
    queries: list[Query]
    turns: list[TranscriptStep]
    chosen: Settings

    def denoted(self) -> list[Output] | str:
        """Return what the denotation says, or the error that it raises."""
        outputs: list[Output] = []
        world = History(self.chosen)
        try:
            for query in self.queries:
                world = add(world, query)
            for turn in self.turns:
                for name in turn.removed:
                    world = remove(world, name)
                for query in turn.added:
                    world = add(world, query)
                world, output = step(world, turn.step)
                outputs.append(output)
        except InvalidInputError as error:
            return str(error)
        return outputs

    def written(self) -> dict[str, Json]:
        """Return the transcript, with what the denotation says as its expectations."""
        outputs = self.denoted()
        return write(
            self.queries, self.turns, self.chosen, None if isinstance(outputs, str) else outputs
        )


def describable(kind: WindowType) -> bool:
    try:
        write_window(kind)
    except UnsupportedError:
        return False
    return True


@st.composite
def random_runs(draw: st.DrawFn) -> RandomRun:
    base = draw(BASES)
    kinds = window_types(base).filter(describable)
    times = st.integers(base - 12, base + 30)
    events = st.lists(
        st.builds(
            Event,
            times,
            st.one_of(st.none(), st.integers(-2, 4)),
            st.sampled_from([None, None, "k", 7, ("k", 7)]),
            st.sampled_from([None, None, 1, 4]),
            st.booleans(),
        ),
        max_size=4,
    )
    chosen = draw(settings())
    query_ids: list[str] = []
    numbers = iter(range(100))

    def query() -> Query:
        query_ids.append(f"q{next(numbers)}")
        return Query(query_ids[-1], draw(kinds), named(draw(st.sampled_from(AGGREGATES))))

    def turn() -> TranscriptStep:
        removed = [query_ids.pop()] if query_ids and draw(st.integers(0, 5)) == 0 else []
        added = [query()] if draw(st.integers(0, 5)) == 0 else []
        batch = draw(events)
        batch = sorted(batch, key=lambda event: event.time) if chosen.in_order else batch
        watermark = draw(st.one_of(st.none(), times))
        return TranscriptStep(Step(tuple(batch), watermark), tuple(added), tuple(removed))

    queries = [query() for _ in range(draw(st.integers(1, 2)))]
    turns = [turn() for _ in range(draw(st.integers(0, 5)))]
    return RandomRun(queries, [*turns, TranscriptStep(Step((), END))], chosen)
