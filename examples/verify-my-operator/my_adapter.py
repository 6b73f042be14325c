"""What muntin needs to know of the operator: what it takes, and what it emits."""

from my_operator import Sessions

from muntin.wire import EngineDescription, StepAdapter, late, result


class MyAdapter(StepAdapter):
    description = EngineDescription(
        "my-operator",
        "0.1.0",
        ["session"],
        outputs=["accumulate"],  # a later result replaces the earlier one of its window
        clock="explicit",  # it takes watermarks
        level="steps",  # its results can be compared step by step
        late=True,  # it reports late events
        lateness=True,  # it takes allowed lateness
    )

    def start(self, trace):
        self.operator = Sessions(trace.parameter("gap"), trace.allowed_lateness)

    def process_event(self, event):
        windows = self.operator.push(event.key, event.time, event.value)
        return [late(event)] if windows is None else [result(*window) for window in windows]

    def process_watermark(self, time):
        return [result(*window) for window in self.operator.advance(time)]
