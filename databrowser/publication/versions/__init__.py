"""Data set versions: publishing, rolling back, withdrawing, keeping and removing them."""
