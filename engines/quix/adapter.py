"""Quix Streams: a `StreamingDataFrame` with a state store of its own, and mocks in place of Kafka.

Windows are closed by key: the watermark of a key is the greatest time of its events. Quix has the
values of a window in the order of arrival; they are sorted by time before they are compared.
"""

import logging
import tempfile
from collections.abc import Iterator
from importlib.metadata import version
from unittest.mock import MagicMock

from quixstreams.dataframe.dataframe import StreamingDataFrame
from quixstreams.dataframe.registry import DataFrameRegistry
from quixstreams.dataframe.windows.aggregations import Aggregator
from quixstreams.internal_consumer import InternalConsumer
from quixstreams.internal_producer import InternalProducer
from quixstreams.models import MessageContext
from quixstreams.models.topics import Topic, TopicConfig, TopicManager
from quixstreams.processing import ProcessingContext
from quixstreams.sinks import SinkManager
from quixstreams.state import StateStoreManager

from muntin.wire import EngineDescription, UnsupportedTraceError, WireTrace, result, serve
from muntin.wire.messages import Row

logging.disable(logging.CRITICAL)
NONE = "-"
"""The key of events that have none: Quix wants one."""


class Listed(Aggregator):
    """The values of a window, in the order of arrival."""

    def initialize(self) -> list[int]:
        """Begin with none."""
        return []

    def agg(self, old: list[int], new: int, _: int) -> list[int]:
        """Add a value."""
        return [*old, new]

    def merge(self, first: list[int], second: list[int]) -> list[int]:
        """Join the values of two sessions."""
        return [*first, *second]

    def result(self, values: list[int]) -> list[int]:
        """Emit the values."""
        return values


def processing_context(folder: str) -> ProcessingContext:
    """A context whose producer and consumer do nothing."""
    stores = StateStoreManager(group_id="group", state_dir=folder)
    stores.init()
    context = ProcessingContext(
        producer=MagicMock(spec_set=InternalProducer),
        consumer=MagicMock(spec_set=InternalConsumer),
        commit_interval=0,
        state_manager=stores,
        sink_manager=SinkManager(),
        dataframe_registry=DataFrameRegistry(),
    )
    context.init_checkpoint()
    return context


def source(context: ProcessingContext) -> StreamingDataFrame:
    """A stream of one partition."""
    kinds = {"value_serializer": "json", "value_deserializer": "json"}
    topic = Topic("trace", **kinds, key_deserializer="bytes", key_serializer="bytes")
    extra = {"retention.ms": "-1", "retention.bytes": "-1"}
    topic.broker_config = TopicConfig(num_partitions=1, replication_factor=1, extra_config=extra)
    registry = context.dataframe_registry
    stream = StreamingDataFrame(
        topic,
        topic_manager=MagicMock(spec=TopicManager),
        registry=registry,
        processing_context=context,
    )
    registry.register_root(stream)
    return stream


def windowed(trace: WireTrace, stream: StreamingDataFrame) -> StreamingDataFrame:
    """The windows of a trace, closed by key."""
    grace = trace.allowed_lateness
    if trace.parameter("offset", 0):
        raise UnsupportedTraceError("Quix has no offsets")
    if trace.window == "tumbling":
        windows = stream.tumbling_window(trace.parameter("size"), grace_ms=grace)
    elif trace.window == "sliding" and trace.parameter("slide") < trace.parameter("size"):
        size, slide = trace.parameter("size"), trace.parameter("slide")
        windows = stream.hopping_window(size, slide, grace_ms=grace)
    elif trace.window == "session":
        windows = stream.session_window(trace.parameter("gap"), grace_ms=grace)
    else:
        raise UnsupportedTraceError(f"Quix has no {trace.window} windows of these lengths")
    return windows.agg(value=Listed()).final(closing_strategy="key")


def replay(trace: WireTrace) -> Iterator[Row]:
    """Process the events one by one; what is open at the end is never emitted."""
    with tempfile.TemporaryDirectory() as folder:
        context = processing_context(folder)
        stream = source(context)
        windows = windowed(trace, stream)
        stores, stream_id = context.state_manager, stream.stream_id
        stores.on_partition_assign(stream_id=stream_id, partition=0, committed_offsets={})
        times = {event.value: event.time for event in trace.events}
        offset = 0
        for number, step in enumerate(trace.steps):
            for event in step.events:
                offset += 1
                place = MessageContext(topic="trace", partition=0, offset=offset, size=0)
                key = (event.key or NONE).encode()
                rows = windows.test(value=event.value, key=key, timestamp=event.time, ctx=place)
                for value, of, _, _ in rows:
                    text = of.decode() if isinstance(of, bytes) else of
                    key_text = None if text == NONE else text
                    bounds = value["start"], value["end"]
                    values = sorted(value["value"], key=lambda v: (times[v], v))
                    yield result(*bounds, values, key_text, step=number)
        for store in list(stores.stores.get(stream_id, {}).values()):
            store.close()


serve(
    EngineDescription(
        "quix",
        version("quixstreams"),
        ["tumbling", "sliding", "session"],
        clock="greatest",
        level="bag",
        lateness=True,
        min_time=0,
        max_time=2**41,
    ),
    replay,
)
