"""Public data for assistants: questions as tools of the Model Context Protocol, and indexes."""
