"""The rows of a question as a file: its stream, and about how large it will be."""
