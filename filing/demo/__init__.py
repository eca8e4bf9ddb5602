"""Made-up data to try the service with: files, submissions, institutions, a census."""
