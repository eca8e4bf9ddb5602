"""Made-up public data for trying out the data browser."""
