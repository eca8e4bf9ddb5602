"""Questions about the public rows and their answers: totals, institutions, breakdowns."""
