"""The comparison of the code with an extracted model.

The states of a run are compared by one digest: of what the code holds after each call, and of what
the model holds. If digests differ, the run is made again, call by call.
"""

from array import array
from collections.abc import Sequence
from hashlib import md5

from muntin.registry.model_process import ModelProcess


class Difference(Exception):  # noqa: N818 it is what the comparison looks for
    """The code and the model do not hold the same after some call."""


class Comparison:
    """Calls of a structure, and what it held after each, beside the model."""

    def __init__(self, model: ModelProcess, structure: str, *, each_call: bool = False) -> None:
        """Compare a structure, by its name in main.ml; by call, or all together."""
        self._model, self._structure, self._each_call = model, structure, each_call
        self._lines: list[str] = []
        self._numbers = array("q")
        self.states = 0

    def add(self, call: str, numbers: Sequence[int]) -> None:
        """Add a call, and what the code answered and holds."""
        self._lines.append(f"{self._structure} {call}")
        self._numbers.extend(numbers)
        if self._each_call:
            self.compare()

    def compare(self) -> None:
        """Raise Difference if the model held anything else after one of these calls."""
        lines, expected = self._lines, md5(self._numbers.tobytes()).hexdigest()  # noqa: S324 no secret
        digest = self._model.reply([*lines, "digest"])
        if digest != expected:
            code, model = " ".join(map(str, self._numbers)), self._model.reply(["show"])
            raise Difference(f"{lines[-1]}\n  code:  {code}\n  model: {model}")
        self.states += len(lines)
        self._lines, self._numbers = [], array("q")
