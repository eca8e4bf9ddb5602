"""What each area registers: kinds of job and email, audit events, links of the admin, signals."""
