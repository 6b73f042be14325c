"""A stream of micro-batches in ten stages, in the order in which a row passes them.

Driver, once a query:

1. `call.aggregation.aggregate` and `call.analysis.analyze` make an `AggregationPlan` of the call.
2. `stream_query.build_stream` checks the watermark and puts the tasks below into a Spark query.

Task before the shuffle:

3. `shuffle_payload.pre_aggregate` combines rows into slices where slices are few.
4. `shuffle_payload.encode_payloads` makes one payload for each bucket.

Task after the shuffle, for each bucket of keys:

5. `processor.Processor.process` is the stateful processor; `payload_reader.read_payloads` decodes.
6. `bucket.Bucket.process` takes late rows out, and gives the others to the operators of the bucket.
7. `columnar_bucket.ColumnarBucket.process`, `row_bucket.RowBucket.process`: an operator's step.
8. `output_rows.window_rows` makes output rows; `to_pandas` gives them to Spark.
9. `bucket.Bucket.write_state` writes the header and the changed chunks of the bucket (`state`).
10. `timers.TimerRules` says at which watermark the bucket has to be processed next, without rows.

Windows over a table that ends belong to `batch`, the bytes of state to `state`.
"""
