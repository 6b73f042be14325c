"""What holds an implementation against the specification: machines, transcripts, dialects."""
