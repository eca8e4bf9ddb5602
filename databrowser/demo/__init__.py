"""Made-up public data to try the data browser with."""
