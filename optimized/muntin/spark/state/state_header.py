"""The header of a bucket's state, and the fingerprint that refuses the state of another call.

Task after the shuffle. The header is the value state of a bucket: its watermark, its next timer and
the checksums of its chunks.
"""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import isnan, nan
from typing import NamedTuple

from muntin.columnar.embedding import is_record, is_row
from muntin.snapshot import SnapshotError, decode, encode
from muntin.snapshot.envelope import Envelope, installed_version, pack_envelope, unpack_envelope
from muntin.snapshot.external_references import description as text
from muntin.spark.call.query_plan import AggregationPlan
from muntin.spark.state.chunk_store import Chunks, damaged_state

FORMAT = 1
"""The version of the format of states. It goes up when equal bytes would mean something else."""
REMEDY = "go on with the version of muntin that wrote it, or begin with a new checkpoint"
AGGREGATE = "the aggregate "

Key = tuple[Hashable, ...]


@dataclass(frozen=True)
class KeySnapshot:
    """The snapshot of a key in a row bucket: its next emission, its expiry, and where it is.

    It is a chunk of this checksum, or `data` until it is written.
    """

    next_emission: float
    expires_at: float
    checksum: int = 0
    data: bytes | None = None


class BucketHeader(NamedTuple):
    """The state of a bucket besides its chunks.

    The windows that the columnar bucket evaluates, its next timer, the checksums of its chunks, or
    the chunks themselves where they are small; and the keys of the row bucket.
    """

    watermark: float
    columnar_windows: Sequence[str]
    columnar_timer: float
    checksums: Mapping[str, int]
    keys: Mapping[Key, KeySnapshot]
    inline_chunks: Chunks


def encode_bucket_header(plan: AggregationPlan, header: BucketHeader) -> bytes:
    """The header as bytes; all snapshots of keys are in chunks."""
    snapshots = header.keys.items()
    keys = {key: (each.next_emission, each.expires_at, each.checksum) for key, each in snapshots}
    fields = [*header[:4], keys, header.inline_chunks]
    return frame_state("bucket", query_fingerprint(plan), fields)


def decode_bucket_header(plan: AggregationPlan, data: bytes) -> BucketHeader:
    """The header of a bucket of the same call; a state of another call is refused."""
    state = read_state("bucket", query_fingerprint(plan), data)
    fields = list(state) if is_row(state) else []
    if len(fields) != len(BucketHeader._fields):
        raise damaged_state(f"its header has {len(fields)} fields, not {len(BucketHeader._fields)}")
    watermark, windows, timer, checksums, keys, chunks = fields
    if not isinstance(watermark, int | float) or not isinstance(timer, int | float):
        raise damaged_state(f"its watermark {watermark!r} or its timer {timer!r} is not a time")
    if not (is_row(windows) and is_record(checksums) and is_record(keys) and is_record(chunks)):
        raise damaged_state("its header has no table of windows, chunks or keys")
    return BucketHeader(
        watermark,
        [str(window) for window in windows],
        timer,
        {name: check for name, check in checksums.items() if isinstance(check, int)},
        {_key(key): _key_snapshot(item) for key, item in keys.items()},
        {name: chunk for name, chunk in chunks.items() if isinstance(chunk, bytes)},
    )


def _key(key: object) -> Key:
    if is_row(key):
        return hashable(key)
    raise damaged_state(f"{key!r} is not a key")


def _key_snapshot(item: object) -> KeySnapshot:
    match item:
        case (int() | float() as next_emission, int() | float() as expiry, int() as checksum):
            return KeySnapshot(next_emission, expiry, checksum)
        case _:
            raise damaged_state(f"{item!r} is not the timers and the checksum of a key")


def hashable(key: Iterable[object]) -> Key:
    """A key whose NaN are all one object, so that they are one key."""
    items = (item if isinstance(item, Hashable) else repr(item) for item in key)
    return tuple(nan if isinstance(item, float) and isnan(item) else item for item in items)


def query_fingerprint(plan: AggregationPlan) -> list[str]:
    """What must be equal where a state is written and where it is read, a line for each."""
    settings, columns = plan.settings, [f"{n}: {plan.types[n].simpleString()}" for n in plan.read]
    lines = [f"the columns {', '.join(columns)}", f"the keys {', '.join(plan.keys) or 'none'}"]
    lines += [f"the window {name!r}: {text(kind)}" for name, kind in plan.kinds().items()]
    lines += [f"{AGGREGATE}{column.description}" for column in plan.aggregates]
    lines += [f"the {role} {name}" for role, name in _column_roles(plan).items() if name]
    lateness = f"the allowed lateness {settings.allowed_lateness}"
    return [*lines, lateness, f"the output {settings.output}", f"the dialect {settings.dialect}"]


def _column_roles(plan: AggregationPlan) -> dict[str, str | None]:
    """Columns whose role does not follow from the lists of columns and keys."""
    time = plan.time if plan.time in plan.keys else None
    return {"time": time, "gap": plan.gap, "mark": plan.mark}


def frame_state(kind: str, fingerprint: Sequence[str], state: object) -> bytes:
    """A state as bytes, with its kind and the fingerprint of its query."""
    body = encode([kind, list(fingerprint), state])
    return pack_envelope(Envelope(FORMAT, installed_version(), body))


def read_state(kind: str, fingerprint: Sequence[str], data: bytes) -> object:
    """The state in a frame of this kind; one of another query is refused."""
    frame = decode(unpack_envelope(data, FORMAT, REMEDY).body)
    if not is_row(frame) or len(frame) != 3 or frame[0] != kind:  # noqa: PLR2004 - as `frame_state` writes
        raise SnapshotError(f"this is not the state of a {kind}: begin with a new checkpoint")
    before = [str(line) for line in frame[1]] if is_row(frame[1]) else []
    old = [line for line in before if line not in fingerprint]
    new = [line for line in fingerprint if line not in before]
    if old or new:
        raise SnapshotError(
            "this checkpoint is of another call of muntin.spark.aggregate: it has "
            f"{'; '.join(old) or 'nothing else'}; this call has "
            f"{'; '.join(new) or 'nothing else'}. "
            "Make the same call again, or begin with a new checkpoint"
        )
    order = [line for line in before if line.startswith(AGGREGATE)]
    if order != [line for line in fingerprint if line.startswith(AGGREGATE)]:
        raise SnapshotError(
            "this checkpoint is of a call of muntin.spark.aggregate with its aggregates in another "
            f"order: {'; '.join(order)}. Put them into that order, or begin with a new checkpoint"
        )
    return frame[2]
