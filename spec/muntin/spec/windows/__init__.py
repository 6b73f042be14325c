"""Window types: which intervals exist. Watermarks, lateness and output belong to `denotation`."""
