"""Values that rows keep each by itself, in lists; and codes, for values that are no numbers."""
