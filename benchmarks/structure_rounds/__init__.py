"""Rounds of evict, insert and query: what they are made of, and what they show."""
