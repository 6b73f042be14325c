"""Beam 2.77, Python direct runner: an event at a watermark of exactly end + lateness is not late.

Run with Beam alone: `pip install apache-beam`, `python late_by_one.py`. The window [10, 11) with an
allowed lateness of 3: an event of it that comes at watermark 14 is emitted, one at 15 is discarded.
"""

import logging

import apache_beam as beam
from apache_beam.options.pipeline_options import PipelineOptions
from apache_beam.runners.direct.direct_runner import BundleBasedDirectRunner
from apache_beam.testing.test_stream import TestStream
from apache_beam.transforms import trigger, window

logging.disable(logging.CRITICAL)

for watermark in (14, 15):
    source = TestStream().advance_watermark_to(watermark)
    source = source.add_elements([window.TimestampedValue(("k", "late"), 10)])
    source = source.advance_watermark_to_infinity()
    into = beam.WindowInto(
        window.FixedWindows(1),
        trigger=trigger.AfterWatermark(late=trigger.AfterCount(1)),
        accumulation_mode=trigger.AccumulationMode.ACCUMULATING,
        allowed_lateness=3,
    )
    options = PipelineOptions(["--streaming", "--allow_unsafe_triggers"])
    pipeline = beam.Pipeline(runner=BundleBasedDirectRunner(), options=options)
    print("watermark", watermark)  # noqa: T201 - a program
    _ = pipeline | source | into | beam.GroupByKey() | beam.Map(print)
    pipeline.run().wait_until_finish()
