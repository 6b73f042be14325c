"""The command `muntin`: `main` parses the command line, `commands` has a module each."""
