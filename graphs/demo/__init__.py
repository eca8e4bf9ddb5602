"""Made-up facts to draw the quarterly graphs from."""
