"""The entry point of the command `muntin`: Ctrl-C ends it in one line, during its imports too."""

import sys


def run() -> int:
    """Import the commands and run one; the result is its exit status."""
    try:
        from muntin.cli.main import main  # noqa: PLC0415 - it imports all commands, for a second
    except KeyboardInterrupt:
        sys.stderr.write("muntin: interrupted\n")
        return 130
    return main()
