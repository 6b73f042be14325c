"""Labels of the facts that the code states, and of those that a proof text proves."""

import ast
import re
from collections.abc import Iterator

LABEL = re.compile(r"\b([A-Z])(\d+)(?:-\1?(\d+))?\b")
FACT = re.compile(r"(?:[A-Z]\d+(?:-[A-Z]?\d+)?(?:, | and )?)+")
HEAD = re.compile(r"^\*\*(?=[A-Z]\d)(.+?)\*\*", re.MULTILINE)
IN_BRACKETS = re.compile(r"\([^()]*\)")


def labels(text: str) -> list[str]:
    """The labels in a text; S1-S3 stands for three.

    >>> labels("S1-S3, T2 and L4-5")
    ['S1', 'S2', 'S3', 'T2', 'L4', 'L5']
    """
    return [
        f"{letter}{number}"
        for letter, first, last in LABEL.findall(text)
        for number in range(int(first), int(last or first) + 1)
    ]


def stated_facts(source: str) -> Iterator[tuple[str, str]]:
    r"""Yield the facts that a module states: each label with its sentence.

    >>> list(stated_facts("def invariants():\n    yield 'S1 and S2 all is well', True"))
    [('S1', 'all is well'), ('S2', 'all is well')]
    """
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Yield) and isinstance(node.value, ast.Tuple):
            texts = (n.value for n in ast.walk(node.value.elts[0]) if isinstance(n, ast.Constant))
            text = next((text for text in texts if isinstance(text, str)), "")
            if match := FACT.match(text):
                sentence = text.removeprefix(match.group()).strip()
                yield from ((label, sentence) for label in labels(match.group()))


def proved_labels(text: str) -> list[str]:
    """The labels that a text proves: those in bold at the beginning of a paragraph.

    >>> proved_labels("**S1 (of P7), S2 (order (T9)).** From T1.")
    ['S1', 'S2']
    """
    heads = HEAD.findall(text)
    return [
        label for head in heads for label in labels(IN_BRACKETS.sub("", without_brackets(head)))
    ]


def without_brackets(head: str) -> str:
    """A head without the innermost brackets."""
    return IN_BRACKETS.sub("", head)
