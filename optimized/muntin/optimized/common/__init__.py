"""What the in-order slicers and Scotty share: timers, query sharing, checks of user code.

Nothing here depends on which of the two calls it.
"""
