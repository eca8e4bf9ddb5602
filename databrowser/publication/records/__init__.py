"""One record: which of its values become public and how, and what only the graphs may use."""
