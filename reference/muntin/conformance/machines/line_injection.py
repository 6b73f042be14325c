"""An exception at any line of this project's code, as Ctrl-C or a lack of memory can bring one."""

import sys
from collections.abc import Callable
from types import FrameType
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from _typeshed import TraceFunction

T = TypeVar("T")


class LineInjection:
    """Counts the lines of this project that run, and raises at one of them."""

    def __init__(self, line: int, exception: type[BaseException] = KeyboardInterrupt) -> None:
        """Raise at the line of this number, from 0 on; -1 never does."""
        self._line, self._exception = line, exception
        self.count = 0

    def run(self, call: Callable[[], T]) -> T:
        """The result of the call, if the exception does not cut it short."""
        before = sys.gettrace()
        sys.settrace(self._enter)
        try:
            return call()
        finally:
            sys.settrace(before)

    def _enter(self, frame: FrameType, _: str, __: object) -> "TraceFunction | None":
        module = str(frame.f_globals.get("__name__"))
        return self._at_line if module.startswith("muntin.") else None

    def _at_line(self, _: FrameType, event: str, __: object) -> "TraceFunction":
        if event == "line":
            self.count += 1
            if self.count == self._line + 1:
                raise self._exception
        return self._at_line
