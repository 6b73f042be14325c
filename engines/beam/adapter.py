"""Beam: a `TestStream` on the Python direct runner, with the trigger `AfterWatermark(late=...)`."""

import logging
from collections.abc import Iterable, Iterator

import apache_beam as beam
import emitted
from apache_beam.options.pipeline_options import PipelineOptions
from apache_beam.runners.direct.direct_runner import BundleBasedDirectRunner
from apache_beam.testing.test_stream import TestStream
from apache_beam.transforms import trigger, window

from muntin.wire import EngineDescription, UnsupportedTraceError, WireTrace, result, serve
from muntin.wire.messages import END, Row

logging.disable(logging.CRITICAL)


class Emission(beam.DoFn):
    """Notes each pane that is emitted."""

    def process(
        self,
        element: tuple[str, Iterable[int]],
        bounds: window.IntervalWindow = beam.DoFn.WindowParam,
    ) -> None:
        """Note the key, the bounds and the values."""
        import emitted  # noqa: PLC0415 - this function is pickled

        key, values = element
        emitted.ROWS.append((key, int(bounds.start), int(bounds.end), list(values)))


def windows(trace: WireTrace) -> window.WindowFn:
    """The window of a trace."""
    offset = trace.parameter("offset", 0)
    if trace.window == "tumbling":
        return window.FixedWindows(trace.parameter("size"), offset)
    if trace.window == "sliding":
        return window.SlidingWindows(trace.parameter("size"), trace.parameter("slide"), offset)
    raise UnsupportedTraceError(f"the adapter of Beam has no {trace.window} windows")


def stream(trace: WireTrace) -> TestStream:
    """The events and watermarks; Beam refuses a watermark that does not rise."""
    source, greatest = TestStream(), float("-inf")
    for step in trace.steps:
        for event in step.events:
            element = event.key or "", event.value
            source = source.add_elements([window.TimestampedValue(element, event.time)])
        if step.watermark is not None and greatest < step.watermark < END:
            greatest = step.watermark
            source = source.advance_watermark_to(greatest)
    return source.advance_watermark_to_infinity()


def replay(trace: WireTrace) -> Iterator[Row]:
    """Run a pipeline."""
    emitted.ROWS.clear()
    into = beam.WindowInto(
        windows(trace),
        trigger=trigger.AfterWatermark(late=trigger.AfterCount(1)),
        accumulation_mode=trigger.AccumulationMode.ACCUMULATING,
        allowed_lateness=trace.allowed_lateness,
    )
    options = PipelineOptions(["--streaming", "--allow_unsafe_triggers"])
    pipeline = beam.Pipeline(runner=BundleBasedDirectRunner(), options=options)
    _ = pipeline | stream(trace) | into | beam.GroupByKey() | beam.ParDo(Emission())
    pipeline.run().wait_until_finish()
    times = {event.value: event.time for event in trace.events}
    for key, start, end, values in emitted.ROWS:
        yield result(start, end, sorted(values, key=lambda v: (times[v], v)), key or None)


serve(
    EngineDescription(
        "beam",
        beam.__version__,
        ["tumbling", "sliding"],
        outputs=["accumulate"],
        clock="explicit",
        lateness=True,
        offsets=True,
        min_time=-(2**40),
        max_time=2**40,
    ),
    replay,
)
