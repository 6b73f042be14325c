"""Pages that are made when the site is built: rules, dialects, vectors, definitions, commands."""

import ast
import json
import os
import re
import tomllib
from argparse import ArgumentParser, RawDescriptionHelpFormatter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cache
from html import escape
from importlib.metadata import version
from pathlib import Path
from typing import get_args, get_type_hints

from muntin.cli.main import COMMANDS
from muntin.cli.pages.engine_page import decision_sentences
from muntin.conformance.dialects.named_dialects import named_dialects
from muntin.conformance.transcript.model import OperatorTranscript, parse
from muntin.drawing.svg import TRACE_STYLE
from muntin.drawing.trace_picture import trace_svg
from muntin.spec.dialect import Dialect
from repository_pages import ROOT

VECTORS = ROOT / "tests" / "vectors"
TRACES = ROOT / "docs" / "examples" / "traces"
ARCHIVE = f"muntin-vectors-{version('muntin')}.zip"
"""All vectors in one file, whose name has the version that they belong to."""
ROW = re.compile(
    r"^\| (?P<subject>[^|]+) \| \[(?P<name>[^\]]+)\]\((?P<path>[^)]+)\) \| (?P<text>.*) \|$"
)
DEFINITION = re.compile(r"\(definition ([A-Z]+\d+)\)")
RULE = re.compile(r"\brules? ((?:\d+(?:, | and | to )?)+)")
API = (
    *("spec", "reference", "conformance.inspection", "conformance.dialects"),
    *("conformance.transcript", "wire", "optimized.btree", "optimized.flatfat", "optimized.fifo"),
    *("optimized.scotty.operator", "optimized.in_order.operator", "snapshot"),
)
"""The public modules: packages stand for all that is in them."""
RULES_HEAD = """\
The semantics of windows in sixteen rules. Every operator answers every trace as they say; the
pictures are their answers. How each is checked is in [the claims](../evidence/claims.md#rules).
"""
DIALECTS_HEAD = """\
The decisions in which engines differ, each with its values on a small trace. The first value is
ours. [Engines](../understand/engines.md) says which engine makes which.
"""


@dataclass(frozen=True)
class VectorEntry:
    """A vector of the table in tests/vectors/README.md."""

    subject: str
    name: str
    path: Path
    sentence: str

    @property
    def folder(self) -> str:
        """The folder that it lies in, and the page that it is on."""
        return self.path.parent.name


@cache
def vector_entries() -> tuple[VectorEntry, ...]:
    """Every vector, in the order of the table."""
    lines = (VECTORS / "README.md").read_text("utf-8").splitlines()
    rows = [match for line in lines if (match := ROW.match(line))]
    return tuple(VectorEntry(m["subject"], m["name"], VECTORS / m["path"], m["text"]) for m in rows)


def figure(path: Path, caption: str = "") -> str:
    """The picture of a transcript as a figure; none, if it is not of a trace."""
    transcript = parse(path.read_bytes())
    if not isinstance(transcript, OperatorTranscript):
        return ""
    svg = trace_svg(transcript, caption or path.stem.replace("_", " "), windows=False)
    svg = re.sub(r"<style>.*?</style>\n?", "", svg, flags=re.DOTALL)
    below = f"<figcaption>{escape(caption)}</figcaption>" if caption else ""
    return f'```{{raw}} html\n<figure class="trace">{svg}{below}</figure>\n```\n'


def pages() -> Iterator[tuple[str, str]]:
    """Yield the name and the text of each page."""
    yield "reference/rules.md", _rules()
    yield "reference/dialects.md", _dialects()
    yield "reference/definitions.md", _definitions()
    yield "reference/cli.md", _commands()
    yield "reference/papers.md", _papers()
    yield "reference/vectors/index.md", _vector_index()
    for folder in _vector_folders():
        yield f"reference/vectors/{folder}.md", _vector_page(folder)
    yield from _api()


def _vector_folders() -> list[str]:
    return [*dict.fromkeys(entry.folder for entry in vector_entries())]


def _vector_index() -> str:
    text = (VECTORS / "README.md").read_text("utf-8").split("\n## ")[0]
    toc = "\n".join(["```{toctree}", *_vector_folders(), "```"])
    counts = ", ".join(
        f"{sum(entry.folder == folder for entry in vector_entries())} in [{folder}]({folder}.md)"
        for folder in _vector_folders()
    )
    get = f"[{ARCHIVE}](../../_files/{ARCHIVE})"
    total = f"There are {len(vector_entries())} of them: {counts}. All in one file: {get}."
    return f"{text}\n{total}\n\n{toc}\n"


def _vector_page(folder: str) -> str:
    parts = [f"# Vectors: {folder}\n"]
    for entry in vector_entries():
        if entry.folder == folder:
            parts += [f"## {entry.name}\n", f"{entry.subject}: {entry.sentence}.\n"]
            parts += [figure(entry.path), _details(entry.path)]
    return "\n".join(parts)


def _details(path: Path) -> str:
    text = escape(path.read_text("utf-8"))
    return (
        f"```{{raw}} html\n<details><summary>transcript</summary><pre>{text}</pre></details>\n```\n"
    )


def vector_link(entry: VectorEntry, page_folder: str = "") -> str:
    """A link to a vector from a page in reference/."""
    return f"[{entry.name}]({page_folder}vectors/{entry.folder}.md#{_slug(entry.name)})"


def _slug(text: str) -> str:
    return re.sub(r"[^\w\- ]", "", text.lower()).replace(" ", "-")


def _rules() -> str:
    table = tomllib.loads((ROOT / "proofs" / "CLAIMS" / "rules.toml").read_text("utf-8"))
    parts = [
        "# Rules\n",
        RULES_HEAD,
    ]
    for name, claim in table["claims"].items():
        if name.startswith("rule "):
            parts += _rule(name, claim, table["checks"])
    return "\n".join(parts)


def _rule(
    name: str, claim: Mapping[str, Sequence[str]], checks: Mapping[str, Mapping[str, str]]
) -> Iterator[str]:
    number = int(name.removeprefix("rule "))
    sentence, why = str(claim["states"]), str(claim["why"])
    yield f"## Rule {number}\n"
    yield f"{sentence[0].upper()}{sentence[1:]}.\n"
    yield f"*Why.* {why}\n"
    entries = [e for e in vector_entries() if number in _numbers(e.subject) and e.folder == "rules"]
    shown = next((text for entry in entries if (text := figure(entry.path, entry.sentence))), "")
    yield shown
    levels = sorted({checks[check]["level"] for check in claim["checks"]})
    yield f"- Evidence: {', '.join(levels)} ([claims](../evidence/claims.md#rules))"
    yield f"- Vectors: {', '.join(vector_link(entry) for entry in entries)}"
    code = [f"{{py:obj}}`~{target}`" for target, rules in rule_code() if number in rules]
    yield from ([f"- Code: {', '.join(code)}"] if code else [])
    yield ""


def _numbers(text: str) -> set[int]:
    """The numbers of a subject such as `4, 12`, or of a range such as `2 to 4`."""
    numbers = [int(number) for number in re.findall(r"\d+", text)]
    if " to " in text and len(numbers) >= 2:  # noqa: PLR2004 - both ends of a range
        numbers += range(numbers[-2], numbers[-1])
    return {*numbers}


@cache
def documented_objects() -> tuple[tuple[str, str], ...]:
    """The modules, classes and functions of the specification, with their docstrings."""
    objects = list[tuple[str, str]]()
    for path in sorted((ROOT / "spec" / "muntin" / "spec").rglob("*.py")):
        module = ".".join(path.relative_to(ROOT / "spec").with_suffix("").parts)
        tree = ast.parse(path.read_text("utf-8"))
        objects.append((module.removesuffix(".__init__"), ast.get_docstring(tree) or ""))
        for node in tree.body:
            if isinstance(node, ast.ClassDef | ast.FunctionDef):
                text = ast.get_docstring(node)
                if text and not node.name.startswith("_"):
                    objects.append((f"{module.removesuffix('.__init__')}.{node.name}", text))
    return tuple(objects)


@cache
def rule_code() -> tuple[tuple[str, set[int]], ...]:
    """Each object of the specification, and the rules that its docstring names."""
    return tuple(
        (name, {number for match in RULE.finditer(text) for number in _numbers(match[1])})
        for name, text in documented_objects()
    )


def definition_labels() -> dict[str, tuple[str, str]]:
    """Each label of a definition, with its object and its sentence."""
    return {
        label: (name, text.split("\n\n")[0].replace("\n", " "))
        for name, text in documented_objects()
        for label in DEFINITION.findall(text)
    }


def _definitions() -> str:
    parts = ["# Definitions\n", "What the labels stand for that code, proofs and claims cite.\n"]
    labels = definition_labels()
    for label in sorted(labels, key=lambda text: (text.rstrip("0123456789"), _numbers(text).pop())):
        name, sentence = labels[label]
        parts.append(f"## {label}\n\n{sentence} {{py:obj}}`{name}`\n")
    return "\n".join(parts)


def _dialects() -> str:
    parts = [
        "# Dialects\n",
        DIALECTS_HEAD,
    ]
    values = get_type_hints(Dialect)
    sentences = decision_sentences()
    for field in fields(Dialect):
        texts = ["0", "1", "-1"] if field.name == "closing" else get_args(values[field.name])
        parts += [f"## {field.name}\n", f"{sentences[field.name].capitalize()}.\n"]
        makers = [
            f"{name} ({decision.value}, {decision.evidence})"
            for name, engine in named_dialects().items()
            for decision in engine.decisions
            if decision.name == field.name
        ]
        parts += [f"Engines: {', '.join(makers)}.\n"] if makers else []
        for value in texts:
            subject = f"{field.name}: {value}"
            entry = next((e for e in vector_entries() if e.subject == subject), None)
            if entry:
                parts += [f"### {subject}\n", figure(entry.path, entry.sentence)]
    return "\n".join(parts)


def _commands() -> str:
    os.environ["COLUMNS"] = "88"
    parts = ["# Commands\n", "What `muntin COMMAND --help` prints.\n"]
    for name, command in COMMANDS.items():
        form = RawDescriptionHelpFormatter
        parser = ArgumentParser(
            f"muntin {name}",
            description=command.DESCRIPTION,
            epilog=command.EPILOG,
            formatter_class=form,
        )
        command.add_arguments(parser)
        parts.append(f"## muntin {name}\n\n```text\n{parser.format_help()}```\n")
    return "\n".join(parts)


def _papers() -> str:
    text = (ROOT / "REFERENCES.md").read_text("utf-8")
    listed, _, rest = text.partition("\n## ")
    entries = re.findall(r"- \*\*\[(\w+)\]\*\* (.*?)(?=\n- \*\*|\Z)", listed, re.DOTALL)
    parts = ["# Papers\n", "What the code, the proofs and the tests cite, and where.\n"]
    for key, citation in entries:
        parts += [f"## {key}\n", " ".join(citation.split()), ""]
        modules = [f"{{py:mod}}`{name}`" for name, source in api_sources() if f"[{key}" in source]
        parts += [f"Cited in {', '.join(modules)}.\n"] if modules else []
    rest = rest.replace("docs/proved.md", "../evidence/proved.md")
    return "\n".join(parts) + (f"\n## {rest}" if rest else "")


@cache
def api_sources() -> tuple[tuple[str, str], ...]:
    """Each public module with its source."""
    modules = list[tuple[str, str]]()
    for name in API:
        parts = f"muntin.{name}".split(".")
        for folder in ("spec", "reference", "optimized", "tools"):
            place = (ROOT / folder).joinpath(*parts)
            paths = sorted(place.rglob("*.py")) if place.is_dir() else [place.with_suffix(".py")]
            for path in (path for path in paths if path.is_file()):
                module = ".".join(path.relative_to(ROOT / folder).with_suffix("").parts)
                modules.append((module.removesuffix(".__init__"), path.read_text("utf-8")))
    return tuple(modules)


def _api() -> Iterator[tuple[str, str]]:
    modules = [name for name, _ in api_sources()]
    toc = "\n".join(["```{toctree}", ":maxdepth: 1", *modules, "```"])
    yield "reference/api/index.md", f"# Public modules\n\n{toc}\n"
    for name in modules:
        line = "=" * len(name)
        yield f"reference/api/{name}.rst", f"{name}\n{line}\n\n.. automodule:: {name}\n"


def anchors() -> list[str]:
    """The anchors that citations may lead to."""
    rules = tomllib.loads((ROOT / "proofs" / "CLAIMS" / "rules.toml").read_text("utf-8"))["claims"]
    keys = re.findall(r"- \*\*\[(\w+)\]\*\*", (ROOT / "REFERENCES.md").read_text("utf-8"))
    return [
        *(f"reference/rules#{_slug(name)}" for name in rules if name.startswith("rule ")),
        *(f"reference/papers#{key.lower()}" for key in keys),
        *(f"reference/definitions#{label.lower()}" for label in definition_labels()),
    ]


def theme_style() -> str:
    """The colours of pictures, by the theme of the page or of the system.

    >>> theme_style().count("--paper:")
    3
    """
    light, _, rest = TRACE_STYLE.partition("@media (prefers-color-scheme: dark) { .muntin {")
    dark, _, common = rest.partition("} }")
    system = f"body:not([data-theme=light]) figure.trace .muntin {{{dark}}}"
    return "\n".join(
        [
            light + common,
            f"body[data-theme=dark] figure.trace .muntin {{{dark}}}",
            f"@media (prefers-color-scheme: dark) {{ {system} }}",
        ]
    )


def trace_named(name: str) -> Path:
    """The transcript that a page names: one of docs/examples/traces, or a vector."""
    return TRACES / f"{name}.json" if "/" not in name else VECTORS / f"{name}.json"


def anchor_file() -> str:
    """The anchors as the settings of Sphinx read them."""
    return json.dumps(anchors())
