"""What a command line must not ask: said before Spark is started, and before anything is judged."""

import re
from argparse import Namespace
from pathlib import Path
from tempfile import TemporaryFile

from muntin.differential.journal import Journal
from muntin.differential.plan import NATIVE, DiffPlan, Implementation
from muntin.registry.dataframes.names import WHOLES
from muntin.registry.lookup import operator_named
from muntin.spec.errors import InvalidInputError, MuntinError
from muntin.spec.operator import Operator
from muntin.spec.query import Settings

SEEDS = 2**63
"""How many seeds there are: those that fit into 64 bits with a sign, from 0."""
MASTERS = (
    r"local|local\[(\*|[1-9][0-9]*)(, *[1-9][0-9]*)?\]|local-cluster\[[0-9, ]+\]"
    r"|yarn|(spark|k8s)://.+"
)


def check(arguments: Namespace, plan: DiffPlan) -> None:
    """Say what is wrong with what is asked, if anything is."""
    if arguments.seed is not None and not 0 <= arguments.seed < SEEDS:
        raise InvalidInputError(f"--seed must be from 0 to {SEEDS - 1}, not {arguments.seed}")
    if plan.delay < 0:
        raise InvalidInputError(f"--delay must be 0 or more, not {arguments.delay}")
    if not re.fullmatch(MASTERS, arguments.master):
        raise InvalidInputError(
            f"--master {arguments.master!r} is none that Spark knows: "
            "say local[*], local[2], or spark://HOST:PORT"
        )
    plan.settings()
    plan.queries()
    for one in plan.against:
        _contender(one, plan)
    given = arguments.input or arguments.flights
    if plan.whole and (given or arguments.streaming):
        raise InvalidInputError("--whole makes its rows: leave --input, --flights, --streaming out")
    _without_rows(arguments)
    if not plan.rows:
        _without_made_rows(arguments)
    if plan.rows and arguments.journal and arguments.seed is None:
        raise InvalidInputError(
            f"--journal {arguments.journal} needs --seed where rows are made: without one, "
            "each run makes others, and none goes on; say --seed 1, or any other"
        )


def _without_rows(arguments: Namespace) -> None:
    """Refuse what is said of rows that nobody gives."""
    if arguments.input is None:
        for name in ("time", "value", "key"):
            if getattr(arguments, name) is not None:
                raise InvalidInputError(
                    f"--{name} {getattr(arguments, name)} is a column of --input, and there is "
                    "none: give --input PATH"
                )
    if arguments.trace is not None and not (arguments.input or arguments.flights):
        raise InvalidInputError(
            f"--trace {arguments.trace} cuts rows of --input or --flights, and there are none: "
            "made rows have --rows and --keys"
        )


def _without_made_rows(arguments: Namespace) -> None:
    """Refuse what is said of rows that are made, where none are; a stream makes some, of 4 keys."""
    for name in ("keys",) if arguments.streaming else ("keys", "disorder", "seed"):
        if getattr(arguments, name) is not None:
            raise InvalidInputError(
                f"--{name} {getattr(arguments, name)} is said of rows that are made, and there are "
                "none beside --input or --flights: give --rows too, or leave it out"
            )


def _contender(one: Implementation, plan: DiffPlan) -> None:
    """Say so if a contender is none, or does not serve runs of this kind."""
    if ":" in one.name:
        _of_the_user(one.name, plan.settings())
    operator_named(one.name)
    if not plan.whole and one.name in WHOLES and one.name != NATIVE:
        raise InvalidInputError(f"{one.name} answers all rows at once: say --whole")
    if plan.whole and one.name in WHOLES and one.share < 1:
        raise InvalidInputError(f"{one.name} answers all rows at once, not {one.share:.1%} of them")


def _of_the_user(name: str, settings: Settings) -> None:
    """Say so if nothing of this name makes an operator."""
    try:
        made = _made(name, settings)
    except MuntinError:
        raise
    except Exception as error:
        raise InvalidInputError(
            f"{name!r} makes no operator of Settings: {type(error).__name__}: {error}"
        ) from error
    if not isinstance(made, Operator):
        raise InvalidInputError(
            f"{name!r} makes {made!r} of Settings, and no operator: "
            "name a subclass of muntin.spec.operator.Operator, or a function that returns one"
        )


def _made(name: str, settings: Settings) -> object:
    """Return what is made, which the user says is an operator."""
    return operator_named(name).build(settings)


def check_places(folder: Path, journal: Path | None) -> None:
    """Say so before anything is judged if nothing can be written there."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with TemporaryFile(dir=folder):
            pass
    except OSError as error:
        raise InvalidInputError(f"--out {folder} can't be written: {error.strerror}") from error
    if journal is not None:
        Journal(journal, run="")
