"""Quix Streams 3.28: hopping windows that are closed by partition are lost.

Run with Quix alone: `pip install quixstreams`, `python hopping_partition.py`. Windows of 4 ms every
3 ms, which does not divide 4, of events 0, 1, ... 59. Closed by key, all windows come; closed by
partition, none: what expired last is stepped by the slide, and no window ends there.
"""

import logging
import tempfile
from unittest.mock import MagicMock

from quixstreams.dataframe.dataframe import StreamingDataFrame
from quixstreams.dataframe.registry import DataFrameRegistry
from quixstreams.internal_consumer import InternalConsumer
from quixstreams.internal_producer import InternalProducer
from quixstreams.models import MessageContext
from quixstreams.models.topics import Topic, TopicConfig, TopicManager
from quixstreams.processing import ProcessingContext
from quixstreams.sinks import SinkManager
from quixstreams.state import StateStoreManager

logging.disable(logging.CRITICAL)


def windows(closing: str, size: int, slide: int) -> list[object]:
    """The windows of 60 events, which are closed by key or by partition."""
    with tempfile.TemporaryDirectory() as folder:
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
        topic = Topic("trace", value_deserializer="json", key_deserializer="bytes")
        extra = {"retention.ms": "-1", "retention.bytes": "-1"}
        topic.broker_config = TopicConfig(
            num_partitions=1, replication_factor=1, extra_config=extra
        )
        stream = StreamingDataFrame(
            topic,
            topic_manager=MagicMock(spec=TopicManager),
            registry=context.dataframe_registry,
            processing_context=context,
        )
        context.dataframe_registry.register_root(stream)
        final = stream.hopping_window(size, slide).collect().final(closing_strategy=closing)
        stores.on_partition_assign(stream_id=stream.stream_id, partition=0, committed_offsets={})
        emitted = list[object]()
        for time in range(60):
            place = MessageContext(topic="trace", partition=0, offset=time, size=0)
            rows = final.test(value=time, key=b"k", timestamp=time, ctx=place)
            emitted += [(row[0]["start"], row[0]["end"]) for row in rows]
        for store in list(stores.stores.get(stream.stream_id, {}).values()):
            store.close()
    return emitted


for size, slide in ((4, 3), (4, 2)):
    for closing in ("key", "partition"):
        print(size, slide, closing, len(windows(closing, size, slide)), "windows")  # noqa: T201 - a program
