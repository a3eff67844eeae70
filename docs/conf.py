# SPDX-License-Identifier: Apache-2.0
# What Sphinx needs to make a site of the documentation; docs/build calls it.
from pygments.lexers import TextLexer
from sphinx.highlighting import lexers

project = "Wridscope"
project_copyright = "the authors of Wridscope, Apache-2.0"
extensions = ["myst_parser"]
root_doc = "docs/index"
include_patterns = ["*.md", "docs/**.md"]
html_theme = "furo"
html_title = "Wridscope"
html_show_sphinx = False
html_copy_source = False
# Links to headings, as GitHub names them.
myst_heading_anchors = 4
# GitHub draws these; here their text is readable.
lexers["mermaid"] = TextLexer()
