"""The data browser for programs: aggregations, rows, institutions, a count, health."""
