"""The settings of Sphinx; `builder.py` makes the sources that it reads."""

import json
import sys
from pathlib import Path

from sphinx.application import Sphinx

sys.path.insert(0, str(Path(__file__).parent))

from cross_references import link_docstring

project, author = "muntin", "the authors of muntin"
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx_copybutton"]
myst_enable_extensions = ["colon_fence", "attrs_inline"]
myst_heading_anchors = 4
suppress_warnings = ["myst.header", "misc.highlighting_failure", "ref.python"]
html_theme, html_title, default_role = "furo", "muntin", "py:obj"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_show_sourcelink = html_copy_source = False
html_theme_options = {"top_of_page_buttons": list[str]()}
maximum_signature_line_length = 88
autodoc_default_options = {"members": True, "member-order": "bysource", "show-inheritance": True}
toc_object_entries = False  # each page would carry them all
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True
exclude_patterns = ["_files/**.md"]

ANCHORS = Path(__file__).parent / "anchors.json"
"""Beside the assembled sources."""
KNOWN = frozenset(json.loads(ANCHORS.read_text("utf-8")) if ANCHORS.exists() else ())


def link_citations(  # noqa: PLR0913, PLR0917 - as autodoc calls it
    app: Sphinx, what: str, name: str, obj: object, options: object, lines: list[str]
) -> None:
    """Make links of citations in a docstring."""
    del what, name, obj, options
    link_docstring(lines, app.env.docname, KNOWN)


def setup(app: Sphinx) -> None:
    """Connect what docstrings need."""
    app.connect("autodoc-process-docstring", link_citations)
