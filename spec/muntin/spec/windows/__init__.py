"""Window types: which intervals exist. No watermark, lateness or output: `denotation` has these."""
