"""Made-up facts for the quarterly graphs."""
