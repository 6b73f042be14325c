"""`python -m muntin.cli`."""

import sys

from muntin.cli.main import main

sys.exit(main())
