"""Snapshots: the whole state of an operator as bytes, and an operator that goes on from them.

Forms and guarantees: docs/snapshots.md. Why a restored operator goes on alike: proofs/snapshot.md.
"""

from muntin.snapshot.capture import encode
from muntin.snapshot.classes import register_state
from muntin.snapshot.errors import SnapshotError
from muntin.snapshot.operator import Persistent, carry, restore, snapshot
from muntin.snapshot.revive import decode
from muntin.snapshot.values import register_value

__all__ = [
    "Persistent",
    "SnapshotError",
    "carry",
    "decode",
    "encode",
    "register_state",
    "register_value",
    "restore",
    "snapshot",
]
