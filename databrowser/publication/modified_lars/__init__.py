"""Modified LARs: the public records of a signed submission, queued with its signature."""
