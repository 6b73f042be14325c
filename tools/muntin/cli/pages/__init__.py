"""Pages that are generated, one module each; what they show is computed."""
