"""What workers of batch and streaming share: evaluation, result rows and values, Arrow, shuffle.

Nothing here analyzes a call or holds state between micro-batches.
"""
