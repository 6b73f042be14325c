"""What is claimed, by level: prints the table; with --write, writes the documents made from it.

    python proofs/claims.py [--write]

Without --write it fails if a document is not up to date.
"""

import sys

from evidence.checks import ROOT
from evidence.document import stale_documents, table


def main(arguments: list[str]) -> int:
    """Run the command."""
    sys.stdout.write(table())
    found = dict(stale_documents())
    for name, text in found.items():
        if arguments == ["--write"]:
            (ROOT / name).write_text(text)
        sys.stdout.write(f"{'written' if arguments else 'stale'}: {name}\n")
    return 0 if arguments else len(found)


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
