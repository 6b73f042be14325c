"""The explorer: one page that asks the specification, in a browser or of a local Python.

`requests` answers what the page asks, as JSON; the page draws and never decides. `permalink` writes
a transcript into a link; `server` serves the page on localhost.
"""
