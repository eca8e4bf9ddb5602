"""The admin site, the operators' guide, and the record of what staff change there."""
