"""The panel as a whole: loaded from a file, carried over to the next year, written to a file."""
