"""Engines of others, held to the specification: their processes, random traces, agreement.

The side of the adapters is `muntin.wire`; an engine is known here by its answers alone.
"""
