"""What goes wrong with a snapshot."""

from muntin.spec.errors import MuntinError


class SnapshotError(MuntinError):
    """A snapshot that is damaged, foreign or of another operator, or a state that has none."""
