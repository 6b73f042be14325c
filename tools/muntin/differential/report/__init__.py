"""The outcome of a differential run as a table in the terminal, a page and charts."""
