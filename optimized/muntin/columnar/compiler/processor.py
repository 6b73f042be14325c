"""The processor: its name, its features, and the levels of processors that compilers know."""

import platform
from functools import cache
from pathlib import Path
from typing import NamedTuple

CPU_INFO = Path("/proc/cpuinfo")
NAME_FIELDS = ("vendor_id", "model name", "CPU implementer", "CPU architecture", "CPU part")
FEATURE_FIELDS = ("flags", "Features")

_V2 = frozenset({"cx16", "lahf_lm", "popcnt", "pni", "sse4_1", "sse4_2", "ssse3"})
_V3 = _V2 | {"abm", "avx", "avx2", "bmi1", "bmi2", "f16c", "fma", "movbe", "xsave"}
_V4 = _V3 | {"avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"}
GENERIC = "generic"
LEVELS = {"x86-64-v4": _V4, "x86-64-v3": _V3, "x86-64-v2": _V2, GENERIC: frozenset[str]()}
"""What a processor of each level has, the best first, as Linux spells it."""


class HostProcessor(NamedTuple):
    """The name of a processor, and its features as the system spells them."""

    name: str
    features: frozenset[str]


def parse_cpu_info(text: str) -> HostProcessor:
    r"""The first processor of a `/proc/cpuinfo`.

    >>> sorted(parse_cpu_info("model name : A\nflags : avx fma\n\nmodel name : B").features)
    ['avx', 'fma']
    """
    pairs = [line.partition(":") for line in text.partition("\n\n")[0].splitlines()]
    fields = {name.strip(): value.strip() for name, _, value in pairs}
    name = " ".join(fields[field] for field in NAME_FIELDS if field in fields)
    features = " ".join(fields[field] for field in FEATURE_FIELDS if field in fields)
    return HostProcessor(f"{platform.machine()} {name}".strip(), frozenset(features.split()))


@cache
def host_processor() -> HostProcessor:
    """The processor of this machine; without `/proc/cpuinfo` its features are unknown."""
    try:
        with CPU_INFO.open() as file:
            return parse_cpu_info(file.read(1 << 14))
    except OSError:
        return HostProcessor(f"{platform.machine()} {platform.processor()}".strip(), frozenset())
