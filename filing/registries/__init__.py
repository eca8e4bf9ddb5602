"""What each area brings: its kinds of job, audit events, doors of the admin, signals."""
