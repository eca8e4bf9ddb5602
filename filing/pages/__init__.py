"""The pages for filers, and modules that all pages share."""
