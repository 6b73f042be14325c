"""Where an array object of NumPy has the address of its data."""

import ctypes

import numpy as np

from muntin.spec.errors import UnsupportedError


def _data_offset() -> int:
    """The offset of `PyArrayObject_fields.data`."""
    probe = np.zeros(1, np.int64)
    for offset in range(8, 128, 8):
        if ctypes.c_void_p.from_address(id(probe) + offset).value == probe.ctypes.data:
            return offset
    raise UnsupportedError("arrays of this NumPy have no address of data; use CPython")


DATA_OFFSET = _data_offset()
