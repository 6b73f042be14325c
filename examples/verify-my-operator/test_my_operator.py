"""The operator follows the specification in its dialect; a failure is one small trace."""

import pytest
from my_adapter import MyAdapter


@pytest.mark.windows("session", dialect={"lateness": "window"}, traces=200)
def test_sessions(muntin_verify):
    muntin_verify(MyAdapter())
