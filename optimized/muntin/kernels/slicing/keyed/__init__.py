"""Slices of many keys: cells by slice and key, found by hashing, folded key by key."""
