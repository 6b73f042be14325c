"""Checks of a command line that need neither Spark nor a comparison, so mistakes show at once."""

import re
from argparse import Namespace
from pathlib import Path
from tempfile import TemporaryFile

from muntin.differential.journal import Journal
from muntin.differential.plan import NATIVE, DiffPlan, Implementation
from muntin.registry.implementations import DATAFRAME_NAMES
from muntin.registry.lookup import operator_named
from muntin.spec.errors import InvalidInputError, MuntinError
from muntin.spec.operator import Operator
from muntin.spec.query import Settings

SEED_COUNT = 2**63
"""Seeds are the non-negative signed integers of 64 bits."""
MASTERS = (
    r"local|local\[(\*|[1-9][0-9]*)(, *[1-9][0-9]*)?\]|local-cluster\[[0-9, ]+\]"
    r"|yarn|(spark|k8s)://.+"
)


def check(arguments: Namespace, plan: DiffPlan) -> None:
    """Raise for the first argument that is out of range or contradicts another."""
    if arguments.seed is not None and not 0 <= arguments.seed < SEED_COUNT:
        raise InvalidInputError(f"--seed must be from 0 to {SEED_COUNT - 1}, not {arguments.seed}")
    if plan.delay < 0:
        raise InvalidInputError(f"--delay must be 0 or more, not {arguments.delay}")
    if not re.fullmatch(MASTERS, arguments.master):
        raise InvalidInputError(
            f"--master {arguments.master!r} is no master URL of Spark: "
            "use local[*], local[2], or spark://HOST:PORT"
        )
    plan.settings()
    plan.queries()
    for implementation in plan.against:
        _check_implementation(implementation, plan)
    source = arguments.input or arguments.flights
    if plan.whole and (source or arguments.streaming):
        raise InvalidInputError(
            "--whole generates its rows: omit --input, --flights and --streaming"
        )
    _check_input_options(arguments)
    if not plan.rows:
        _check_generator_options(arguments)
    if plan.rows and arguments.journal and arguments.seed is None:
        raise InvalidInputError(
            f"--journal {arguments.journal} needs --seed for generated rows: without one each run "
            "generates other rows and cannot resume; add --seed 1, for example"
        )


def _check_input_options(arguments: Namespace) -> None:
    for name in ("time", "value", "key") if arguments.input is None else ():
        if getattr(arguments, name) is not None:
            raise InvalidInputError(
                f"--{name} {getattr(arguments, name)} names a column of --input, which is missing: "
                "add --input PATH"
            )
    if arguments.trace is not None and not (arguments.input or arguments.flights):
        raise InvalidInputError(
            f"--trace {arguments.trace} cuts rows of --input or --flights, and neither is there: "
            "for generated rows use --rows and --keys"
        )


def _check_generator_options(arguments: Namespace) -> None:
    """Reject options of generated rows where none are; a stream generates some, of 4 keys."""
    for name in ("keys",) if arguments.streaming else ("keys", "disorder", "seed"):
        if getattr(arguments, name) is not None:
            raise InvalidInputError(
                f"--{name} {getattr(arguments, name)} applies to generated rows, and there are "
                f"none beside --input or --flights: add --rows, or omit --{name}"
            )


def _check_implementation(implementation: Implementation, plan: DiffPlan) -> None:
    name = implementation.name
    if ":" in name:
        _check_user_operator(name, plan.settings())
    operator_named(name)
    if not plan.whole and name in DATAFRAME_NAMES and name != NATIVE:
        raise InvalidInputError(f"{name} evaluates all rows at once: add --whole")
    share = implementation.share
    if plan.whole and name in DATAFRAME_NAMES and share < 1:
        message = f"{name} evaluates all rows at once, not {share:.1%} of them: omit the share"
        raise InvalidInputError(message)


def _check_user_operator(name: str, settings: Settings) -> None:
    try:
        operator = _user_operator(name, settings)
    except MuntinError:
        raise
    except Exception as error:
        message = f"{name!r} makes no operator of Settings: {type(error).__name__}: {error}"
        raise InvalidInputError(message) from error
    if not isinstance(operator, Operator):
        raise InvalidInputError(
            f"{name!r} makes {operator!r} of Settings, and no operator: "
            "name a subclass of muntin.spec.operator.Operator, or a function that returns one"
        )


def _user_operator(name: str, settings: Settings) -> object:
    """What the user's name builds, typed as an object because nothing has checked it yet."""
    return operator_named(name).build(settings)


def check_writable(folder: Path, journal: Path | None) -> None:
    """Raise before the run starts if its output folder or its journal cannot be written."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with TemporaryFile(dir=folder):
            pass
    except OSError as error:
        raise InvalidInputError(f"--out {folder} can't be written: {error.strerror}") from error
    if journal is not None:
        Journal(journal, run="")
