"""FlatFAT [Tangwongsan15]: a complete binary tree in an array, and the windows built on it.

The Reactive Aggregator and its FIFO variant are here. Nothing here knows of queries or
watermarks.
"""
