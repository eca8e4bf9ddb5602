"""The panel as a whole: imported from a file, carried over to the next year, exported to a file."""
