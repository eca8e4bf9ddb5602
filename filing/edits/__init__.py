"""The rulebook: every edit of every filing year as a value, and the engine that runs them."""
