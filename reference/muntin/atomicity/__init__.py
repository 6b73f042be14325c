"""Calls that take place whole or not at all, or else are noticed: docs/interruptions.md."""

from muntin.atomicity.guarded_calls import (
    GUARD_FIELDS,
    AllOrNothing,
    ConcurrentCallError,
    InterruptedStateError,
)

__all__ = ["GUARD_FIELDS", "AllOrNothing", "ConcurrentCallError", "InterruptedStateError"]
