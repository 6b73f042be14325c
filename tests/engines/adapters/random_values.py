"""An adapter that answers by chance, as an engine with threads may."""

from secrets import randbelow

from muntin.wire import EngineDescription, serve

if __name__ == "__main__":
    serve(
        EngineDescription("random", "1", ["tumbling"]),
        lambda _: [{"type": "result", "start": 0, "end": 1, "value": [randbelow(2**60)]}],
    )
