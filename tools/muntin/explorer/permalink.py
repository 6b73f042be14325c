"""Permalinks: a transcript in the fragment of an address, deflated, so no server sees it.

Links come from strangers: their size is limited before and after they are inflated.
"""

import json
import zlib
from base64 import b64decode, urlsafe_b64encode
from binascii import Error

from muntin.conformance.transcript.json_reader import Json
from muntin.spec.errors import InvalidInputError

FORM = "1."
"""The version of the form, at the beginning of a fragment."""
MAX_FRAGMENT, MAX_TEXT = 20_000, 200_000
"""Characters of a fragment, and of the transcript in it."""
RAW_DEFLATE = -15


def fragment_of(document: Json) -> str:
    """The fragment of a transcript, as its document.

    >>> transcript_of(fragment_of({"muntin": 1, "queries": [], "steps": []}))
    '{"muntin":1,"queries":[],"steps":[]}'
    """
    text = json.dumps(document, separators=(",", ":"))
    compressor = zlib.compressobj(9, zlib.DEFLATED, RAW_DEFLATE)
    data = compressor.compress(text.encode()) + compressor.flush()
    fragment = FORM + urlsafe_b64encode(data).decode().rstrip("=")
    if len(fragment) > MAX_FRAGMENT:
        raise InvalidInputError(
            f"a link of {len(fragment):,} characters is longer than {MAX_FRAGMENT:,}; send the file"
        )
    return fragment


def transcript_of(fragment: str) -> str:
    """The text in a fragment; it is not parsed."""
    body = fragment.removeprefix("#").removeprefix(FORM)
    if len(body) > MAX_FRAGMENT or not fragment.removeprefix("#").startswith(FORM):
        raise InvalidInputError(
            f"a link begins with {FORM} and has at most {MAX_FRAGMENT:,} characters"
        )
    inflater = zlib.decompressobj(RAW_DEFLATE)
    try:
        data = b64decode(body + "=" * (-len(body) % 4), altchars=b"-_", validate=True)
        text = inflater.decompress(data, MAX_TEXT)
        if inflater.unconsumed_tail:
            raise InvalidInputError(f"the transcript in this link is longer than {MAX_TEXT:,}")
        if not inflater.eof:
            raise InvalidInputError("this link is cut off; copy all of it")
        return text.decode()
    except (zlib.error, Error, UnicodeDecodeError) as error:
        raise InvalidInputError(f"this link holds no transcript: {error}") from error
