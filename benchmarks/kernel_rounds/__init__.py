"""Rounds over columns: what they are made of, and what they show."""
