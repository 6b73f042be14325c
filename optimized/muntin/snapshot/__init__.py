"""Snapshots: the whole state of an operator as bytes, from which an equal operator continues.

Format and guarantees: docs/snapshots.md. Why a restored operator continues equally:
proofs/snapshot.md.
"""

from muntin.snapshot.decoder import decode
from muntin.snapshot.encoder import encode
from muntin.snapshot.errors import SnapshotError
from muntin.snapshot.operator_snapshots import Persistent, restore, snapshot, transfer_state
from muntin.snapshot.state_classes import register_state
from muntin.snapshot.value_types import register_value

__all__ = [
    "Persistent",
    "SnapshotError",
    "decode",
    "encode",
    "register_state",
    "register_value",
    "restore",
    "snapshot",
    "transfer_state",
]
