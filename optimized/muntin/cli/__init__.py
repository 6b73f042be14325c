"""The command `muntin`, and the registry of implementations that it runs."""
