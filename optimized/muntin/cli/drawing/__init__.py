"""From what a structure looks like to SVG: plain data in, text out."""
