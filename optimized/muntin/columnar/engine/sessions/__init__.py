"""Sessions: rows in a pool for each gap, a list for each key, and timers.

A step places each event in the row of its session, which is known from extents alone, so no kernel
knows of an aggregate; then each part adds its column, and what changed or is due is reported. A
watermark costs what is due, not what exists.
"""
