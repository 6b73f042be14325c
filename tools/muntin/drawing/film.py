"""A film: a frame of a structure after each call of a transcript."""

from collections.abc import Iterator
from dataclasses import dataclass

from muntin.conformance.transcript.calls import QUERY_CALLS, Call, perform
from muntin.conformance.transcript.model import StructureTranscript
from muntin.drawing.instances import Instance
from muntin.drawing.scene import Scene, mark_fresh
from muntin.drawing.value_text import ValueFormatter, plain_text
from muntin.optimized.introspection import Account, TreePicture
from muntin.spec.errors import MuntinError

MAX_PAIRS = 4


@dataclass(frozen=True)
class Frame:
    """One picture: the number of the call, its text, a remark on its result, and the scene."""

    number: int
    call: str
    remark: str
    scene: Scene

    @property
    def title(self) -> str:
        """The call and the remark on it."""
        return f"{self.call}: {self.remark}" if self.remark else self.call


def film(transcript: StructureTranscript, instance: Instance) -> Iterator[Frame]:
    """Make each call, and yield the frame after it; an error names the call."""
    formatter = ValueFormatter(transcript.aggregate)
    before = instance.scene(formatter)
    for number, call in enumerate(transcript.calls):
        try:
            answer = perform(call, instance.structure, transcript.aggregate)
        except MuntinError as error:
            raise type(error)(f"ops[{number}]: {error}") from error
        remark = f"= {plain_text(answer).full}" if call.name in QUERY_CALLS else _account(instance)
        scene = instance.scene(formatter)
        yield Frame(number, call_text(call), remark, mark_fresh(scene, before))
        before = scene


def call_text(call: Call) -> str:
    """A call as a reader would write it.

    >>> call_text(Call("insert", pairs=((22, "v"),))), call_text(Call("query_range", (3, 5)))
    ('insert 22: v', 'query_range 3, 5')
    """
    pairs = [f"{time}: {plain_text(value).full}" for time, value in call.pairs]
    if len(pairs) > MAX_PAIRS:
        pairs = [*pairs[:2], "...", f"{pairs[-1]} ({len(pairs)} items)"]
    return f"{call.name} {', '.join([*map(str, call.times), *pairs])}".strip()


def _account(instance: Instance) -> str:
    picture = instance.picture()
    account = picture.account if isinstance(picture, TreePicture) else None
    return account_text(account) if account else ""


def account_text(account: Account, heights: int = 1) -> str:
    """An account as in the captions of Figures 3 to 6 of [Tangwongsan19].

    There a change of height costs nothing; in our account of Lemma 9 it costs 1.

    >>> account_text(Account(("split", "height increase", "split"), 1))
    'split, height increase, split; spent 3, billed 1'
    >>> account_text(Account(("split", "height increase", "split"), 1), heights=0)
    'split, height increase, split; spent 2, billed 0'
    """
    steps = ", ".join(account.steps)
    free = (1 - heights) * sum(step.startswith("height") for step in account.steps)
    coins = account.billed - free
    word = "billed" if coins >= 0 else "refunded"
    return f"{steps}{'; ' if steps else ''}spent {len(account.steps) - free}, {word} {abs(coins)}"
