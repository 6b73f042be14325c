"""Scotty: general stream slicing, one slice a tuple, shared by all windows [Traub18], [Traub20]."""
