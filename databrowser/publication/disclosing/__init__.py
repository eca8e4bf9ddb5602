"""The public rows of one signed submission: queued with its signature, made by a job."""
