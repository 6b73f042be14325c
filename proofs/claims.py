"""Prints the claims by level; with --write, regenerates the documents that list them.

    python proofs/claims.py [--write]

Without --write it fails if a document is stale.
"""

import sys

from evidence.checks import ROOT
from evidence.document import stale_documents, table


def main(arguments: list[str]) -> int:
    """Run the command."""
    sys.stdout.write(table())
    documents = dict(stale_documents())
    for name, text in documents.items():
        if arguments == ["--write"]:
            (ROOT / name).write_text(text)
        sys.stdout.write(f"{'written' if arguments else 'stale'}: {name}\n")
    return 0 if arguments else len(documents)


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
