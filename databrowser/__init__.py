"""The public loan data: how it is built and published, and how anyone can query it."""
