"""Changes and corrections: what becomes public and what was wrong, for people and programs."""
