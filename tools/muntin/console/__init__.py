"""Lines and progress bars in a terminal, for `muntin.cli` and `muntin.differential`."""
