"""What a pipeline has emitted: functions of Beam are pickled, so they import this list."""

ROWS: list[tuple[str, int, int, list[int]]] = []
