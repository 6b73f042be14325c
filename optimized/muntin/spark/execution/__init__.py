"""What workers of batch and streaming share: evaluation, result rows, casts, Arrow, repartitioning.

Nothing here analyzes a call or holds state between micro-batches.
"""
