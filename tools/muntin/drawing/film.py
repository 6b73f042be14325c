"""A film: what a structure looks like after each call of a transcript."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from muntin.conformance.transcript.calls import QUERY_CALLS, Call, perform
from muntin.conformance.transcript.model import StructureTranscript
from muntin.drawing.instances import Instance
from muntin.drawing.scene import Scene, refreshed
from muntin.drawing.value_text import ValueFormatter, plain_text
from muntin.optimized.introspection import Account, TreePicture
from muntin.spec.errors import MuntinError

MOST_SHOWN = 4


@dataclass(frozen=True)
class Frame:
    """One picture: the number of the call, what it was, what came of it, and what there is now."""

    number: int
    call: str
    remark: str
    scene: Scene

    @property
    def title(self) -> str:
        """The call and the remark on it."""
        return f"{self.call}: {self.remark}" if self.remark else self.call


def film(transcript: StructureTranscript, instance: Instance) -> Iterator[Frame]:
    """Make each call, and yield what there is then; an error says at which call it is."""
    showing = ValueFormatter(transcript.aggregate)
    before = instance.scene(showing)
    for number, call in enumerate(transcript.calls):
        try:
            answer = perform(call, instance.structure, transcript.aggregate)
        except MuntinError as error:
            raise type(error)(f"ops[{number}]: {error}") from error
        remark = f"= {plain_text(answer).full}" if call.name in QUERY_CALLS else _account(instance)
        scene = instance.scene(showing)
        yield Frame(number, spelled(call), remark, refreshed(scene, before))
        before = scene


def spelled(call: Call) -> str:
    """Return a call as a reader would write it.

    >>> spelled(Call("insert", pairs=((22, "v"),))), spelled(Call("query_range", (3, 5)))
    ('insert 22: v', 'query_range 3, 5')
    """
    pairs = [f"{time}: {plain_text(value).full}" for time, value in call.pairs]
    words = ", ".join([*map(str, call.times), *_clipped(pairs)])
    return f"{call.name} {words}".strip()


def _clipped(words: Sequence[str]) -> list[str]:
    if len(words) <= MOST_SHOWN:
        return list(words)
    return [*words[:2], "...", words[-1] + f" ({len(words)} items)"]


def _account(instance: Instance) -> str:
    picture = instance.picture()
    account = picture.account if isinstance(picture, TreePicture) else None
    return told(account) if account else ""


def told(account: Account, heights: int = 1) -> str:
    """Return an account as the captions of Figures 3 to 6 of [Tangwongsan19] have it.

    There a change of height costs nothing; in Lemma 9 as we account for it, it costs 1.

    >>> told(Account(("split", "height increase", "split"), 1))
    'split, height increase, split; spent 3, billed 1'
    >>> told(Account(("split", "height increase", "split"), 1), heights=0)
    'split, height increase, split; spent 2, billed 0'
    """
    steps = ", ".join(account.steps)
    free = (1 - heights) * sum(step.startswith("height") for step in account.steps)
    coins = account.billed - free
    word = "billed" if coins >= 0 else "refunded"
    return f"{steps}{'; ' if steps else ''}spent {len(account.steps) - free}, {word} {abs(coins)}"
