"""How far to go: as far as CI has time for, or by night the whole way."""

import os
from typing import Literal

Profile = Literal["ci", "nightly"]

PROFILE: Profile = "nightly" if os.environ.get("MUNTIN_PROFILE") == "nightly" else "ci"
