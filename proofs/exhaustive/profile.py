"""The profile of the explorations: small scopes in CI, full ones by night."""

import os
from typing import Literal

Profile = Literal["ci", "nightly"]

PROFILE: Profile = "nightly" if os.environ.get("MUNTIN_PROFILE") == "nightly" else "ci"
