"""`python -m muntin.cli`."""

import sys

from muntin.cli.entry_point import run

sys.exit(run())
