"""`muntin cards`: docs/structures.md and its pictures, made of the registry and of real instances.

Without --write it says whether they are as they should be.
"""

from argparse import ArgumentParser, Namespace
from collections.abc import Iterator
from pathlib import Path

from muntin.cli.commands.card_data import CARDS, Card, CardExample
from muntin.conformance.transcript.model import StructureTranscript, parse
from muntin.console.messages import Subparsers, complain, say
from muntin.drawing.film import film
from muntin.drawing.instances import instance
from muntin.drawing.svg import svg
from muntin.registry.implementations import STRUCTURES, StructureEntry
from muntin.spec.errors import InvalidInputError

ROOT = Path(__file__).parents[4]
DOCUMENT, PICTURES, EXAMPLES = "docs/structures.md", "docs/pictures", "docs/examples"
FAILED = 1

ARRIVAL = {
    "any order": "any order, evictions too",
    "in-order inserts": "inserts in the order of time, evictions in any",
    "fifo": "inserts in the order of time, evictions of the oldest",
}
NEEDS = {"monoid": "a monoid", "group": "a group: a monoid with inverses"}

HEAD = """\
# Structures

Made by `muntin cards --write` from the registry and `card_table.py`; a test fails when it is stale.

Times count combines and visited nodes, as each structure's `bound` does: n items are held, a call
is about m of them, and d is the out-of-order distance of its times, how many items lie between
them and the nearer end of the window. Space counts the partial aggregates kept. What is outlined
in a picture was new in that step; `muntin draw` draws every step of any transcript.
"""


def add_parser(commands: Subparsers) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "cards",
        help="check or make the cards of the structures",
        description=f"Check that {DOCUMENT} and its pictures are up to date, or write them.",
    )
    _add_arguments(parser)
    parser.set_defaults(run=run)


def _add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("--write", action="store_true", help="write what is not up to date")


def run(arguments: Namespace) -> int:
    """Run the command."""
    if not (ROOT / EXAMPLES).is_dir():
        raise InvalidInputError(f"cards are made in the source tree, and {ROOT} is none")
    found = stale()
    for name, text in found.items():
        if arguments.write:
            (ROOT / name).parent.mkdir(parents=True, exist_ok=True)
            (ROOT / name).write_text(text, "utf-8")
        say(f"{'written' if arguments.write else 'stale'}: {name}")
    if found and not arguments.write:
        complain("run `muntin cards --write`")
        return FAILED
    return 0


def stale() -> dict[str, str]:
    """Return the files that are not as they should be, with what they should be."""
    wanted = {DOCUMENT: document(), **dict(pictures())}
    return {
        name: text
        for name, text in wanted.items()
        if not (ROOT / name).is_file() or (ROOT / name).read_text("utf-8") != text
    }


def document() -> str:
    """Return the document."""
    cards = [_card(entry, CARDS[entry.name]) for entry in STRUCTURES if entry.name in CARDS]
    return "\n".join([HEAD, *_overview(), *cards])


def pictures() -> Iterator[tuple[str, str]]:
    """Yield the name of each picture, and what it is, from a real instance."""
    for name, card in CARDS.items():
        for shot in card.shots:
            transcript = parse((ROOT / EXAMPLES / f"{shot.transcript}.json").read_text("utf-8"))
            if not isinstance(transcript, StructureTranscript):
                raise InvalidInputError(f"{shot.transcript} is no transcript of a structure")
            drawn = instance(name, transcript.aggregate.monoid, shot.min_arity, coins=shot.coins)
            frame = next(one for one in film(transcript, drawn) if one.number == shot.after)
            yield _picture(name, shot), svg(frame.scene, frame.title, caption=True)


def _picture(name: str, shot: CardExample) -> str:
    return f"{PICTURES}/{name}-{shot.transcript}-{shot.after}.svg"


def _overview() -> Iterator[str]:
    yield "| structure | order of arrival | insert | evict | query | range | |"
    yield "| --- | --- | --- | --- | --- | --- | --- |"
    for entry in STRUCTURES:
        if entry.name in CARDS:
            times = CARDS[entry.name].times
            yield (
                f"| [{entry.name}](#{entry.name}) | {entry.arrival} | {times.insert} | "
                f"{times.evict} | {times.query} | {times.query_range} | {claim(entry)} |"
            )
    yield ""


def claim(entry: StructureEntry) -> str:
    """Return of what its times are a bound."""
    if set(CARDS[entry.name].times) == {"not claimed"}:
        return "no claim"
    return "worst case" if entry.worst_case else "amortised"


def _card(entry: StructureEntry, card: Card) -> str:
    times = [f"{name.replace('_', ' ')} {time}" for name, time in card.times._asdict().items()]
    proof = f"[{card.proof}](../{card.proof})" if card.proof else "none: correct by inspection"
    rows = {
        "order of arrival": ARRIVAL[entry.arrival],
        "the operator needs to be": NEEDS[entry.needs],
        f"time ({claim(entry)})": "; ".join(times),
        "space": card.space,
        "paper": f"[{card.paper}](../REFERENCES.md)",
        "file": f"[{card.file}](../{card.file})",
        "proof": proof,
    }
    shots = [
        f"![{shot.caption}]({Path(_picture(entry.name, shot)).relative_to('docs')})\n\n"
        f"*{shot.caption}*\n"
        for shot in card.shots
    ]
    table = [f"| {what} | {said} |" for what, said in rows.items()]
    return "\n".join(
        [f"## {entry.name}\n", f"{card.sentence}\n", "| | |", "| --- | --- |", *table, "", *shots]
    )
