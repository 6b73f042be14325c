"""Hypothesis profiles: quick at the desk, thorough in CI, long at night. And a cache of kernels."""

import os
from pathlib import Path

from hypothesis import HealthCheck, settings

os.environ.setdefault("MUNTIN_KERNELS", str(Path(__file__).parents[1] / ".kernels"))

COMMON = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("dev", COMMON, max_examples=25)
settings.register_profile("ci", COMMON, max_examples=100)
settings.register_profile("nightly", COMMON, max_examples=3000, stateful_step_count=100)
settings.load_profile(os.environ.get("MUNTIN_PROFILE", "dev"))
