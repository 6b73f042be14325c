"""The columnar engine: state in arrays, and one compiled call a step.

`ColumnarEngine` makes the state, takes batches of columns, advances the watermark, and gives
results as columns. `directory` says where arrays lie, `step` what the compiled call does, phase by
phase.
"""
