"""The data browser API: aggregations, downloads, institutions, a count, health."""
