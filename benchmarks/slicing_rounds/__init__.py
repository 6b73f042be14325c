"""Operators on one stream: what they are asked, and what they manage."""
