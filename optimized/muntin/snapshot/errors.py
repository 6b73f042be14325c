"""Errors of snapshots, and the one form of the messages about corrupt ones."""

from muntin.spec.errors import MuntinError


class SnapshotError(MuntinError):
    """A snapshot is corrupt, of another format or operator, or a state cannot be written."""


def corrupt_snapshot(detail: str) -> SnapshotError:
    """An error about bytes or a state that contradict themselves; `detail` says where and how."""
    return SnapshotError(f"corrupt snapshot: {detail}; restore from an intact copy")
