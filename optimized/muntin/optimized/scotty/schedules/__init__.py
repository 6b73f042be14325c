"""Window schedules: for window types with edges known beforehand, when windows begin and end.

A schedule is pure arithmetic on times. It holds no state of a stream.
"""
