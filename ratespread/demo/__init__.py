"""Made-up rates for trying out the rate spread calculator."""
