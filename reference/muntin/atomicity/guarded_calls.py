"""One guard for every operator and structure: a call that was cut short is never answered over.

Ctrl-C, a lack of memory or a function of the user's that raises can end a call between any two
lines. A call that ends in an error of this library has changed nothing. After any other exception
the state may be half changed: then each further call raises InterruptedStateError, reads too.
"""

from collections.abc import Callable, Generator
from contextlib import contextmanager
from functools import wraps
from signal import getsignal, valid_signals
from threading import get_ident
from traceback import walk_tb
from types import FrameType, FunctionType
from typing import ClassVar, TypeVar

from muntin.spec.errors import MuntinError, UserCodeError

R = TypeVar("R")

OPERATOR_CALLS = ("add", "remove", "take", "take_columns", "take_slices", "snapshot")
STRUCTURE_CALLS = ("insert", "evict", "bulk_insert", "bulk_evict", "query", "query_range")
STRUCTURE_READS = ("oldest", "youngest", "items", "__len__")
COLUMN_CALLS = ("insert_batch", "replay_rounds", "entries", "evict_through", "query_ranges")
GUARDED = frozenset((*OPERATOR_CALLS, *STRUCTURE_CALLS, *STRUCTURE_READS, *COLUMN_CALLS))
GUARD_FIELDS = ("_call_state", "_is_committing")


class InterruptedStateError(MuntinError):
    """A call on an object whose state an earlier call may have left half changed."""


class ConcurrentCallError(MuntinError):
    """A call on an object that another thread is calling."""


class AllOrNothing:
    """An object whose calls are guarded, and those that its subclasses define."""

    failures_change_nothing: ClassVar[bool] = False
    """Whether a call of this class in which user code raises anything leaves the state as it was,
    unless it has called `begin_commit`."""
    commits_last: ClassVar[bool] = False
    """Whether calls of this class change nothing at all before they call `begin_commit`."""

    _call_state: int | str | None = None  # the thread of the call under way, or what cut one short
    _is_committing = False

    def __init_subclass__(cls, **keywords: object) -> None:
        """Guard the calls that the class defines."""
        super().__init_subclass__(**keywords)
        for name in GUARDED & vars(cls).keys():
            method = vars(cls)[name]
            if isinstance(method, FunctionType) and not hasattr(method, "__isabstractmethod__"):
                setattr(cls, name, AllOrNothing._guarded(method))

    @staticmethod
    def _guarded(method: Callable[..., R]) -> Callable[..., R]:
        """The method, refused after an interruption and while another thread is in a call."""

        @wraps(method)
        def call(self: AllOrNothing, /, *arguments: object, **keywords: object) -> R:
            if self._call_state is not None:
                self.check_callable()
                return method(self, *arguments, **keywords)  # one call makes another
            is_over = False
            try:
                self._call_state = get_ident()
                result = method(self, *arguments, **keywords)
                is_over = True
                self._end_call()
                return result  # noqa: TRY300 - an exception at this line cuts the call short too
            except BaseException as error:
                cause = self._note_error(error, is_over=is_over)
                if cause is error:
                    raise
                raise cause from None

        return call

    def undoes_failures(self) -> bool:
        """Whether a call in which user code raises leaves the state as it was."""
        return self.failures_change_nothing

    def begin_commit(self) -> None:
        """Say that the rest of this call changes the state, and does not undo it."""
        self._is_committing = True

    def check_callable(self) -> None:
        """Refuse a call while another thread is in one, or after one was cut short."""
        state, name = self._call_state, type(self).__name__
        if isinstance(state, int) and state != get_ident():
            raise ConcurrentCallError(
                f"another thread is in a call of this {name}; let one thread at a time call it"
            )
        if isinstance(state, str):
            raise InterruptedStateError(
                f"{state} cut short a call of this {name}, so that its state may be half changed; "
                "restore a snapshot, or build it anew and repeat what came"
            )

    def _end_call(self) -> None:
        """Leave no trace of a call: the attributes are the state, and nothing else."""
        for field in GUARD_FIELDS:
            vars(self).pop(field, None)

    def _note_error(self, error: BaseException, *, is_over: bool) -> BaseException:
        """Note what has cut a call short; the error to raise, which is no fault of the user's."""
        inner = error.__cause__ if isinstance(error, UserCodeError) else error.__context__
        cause = inner if inner is not None and _is_interruption(inner) else error
        unchanged = not is_over and self._changes_nothing(cause)
        self._end_call()
        if not unchanged:
            self._call_state = type(cause).__name__
        return cause

    def _changes_nothing(self, cause: BaseException) -> bool:
        if self._is_committing:
            return False
        if self.commits_last or isinstance(cause, MuntinError):
            return True
        return self.undoes_failures() and _is_of_user_code(cause)

    @contextmanager
    def replacing_state(self) -> Generator[None]:
        """Replace the whole state, or leave it as it is: what is refused changes nothing."""
        before, self._call_state = self._call_state, "an interrupted restore"
        try:
            yield
        except MemoryError:
            raise
        except Exception:
            self._end_call()
            if before is not None:
                self._call_state = before
            raise
        self._end_call()


def _is_interruption(cause: BaseException) -> bool:
    """Whether this came at any line of this library, which caught it to undo what it did."""
    if isinstance(cause, Exception) and not isinstance(cause, MemoryError):
        return False
    return cause.__traceback__ is not None and _is_of_muntin(cause.__traceback__.tb_frame)


def _is_of_muntin(frame: FrameType) -> bool:
    return str(frame.f_globals.get("__name__")).startswith("muntin.")


def _is_of_user_code(cause: BaseException) -> bool:
    """Whether a function of the user's raised this, not a signal or a line of this library."""
    frames = [frame for frame, _ in walk_tb(cause.__traceback__)]
    handlers = [getattr(getsignal(number), "__code__", None) for number in valid_signals()]
    if any(frame.f_code in handlers for frame in frames):
        return False
    if isinstance(cause, Exception) and not isinstance(cause, MemoryError):
        return True
    return not _is_of_muntin(frames[-1])
