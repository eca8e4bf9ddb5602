"""The pages of filers, and what all pages share."""
