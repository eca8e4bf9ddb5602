"""Made-up rates to try the rate spread tool with."""
