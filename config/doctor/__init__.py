"""What is wrong with an installation, part by part, and what to do about it."""
