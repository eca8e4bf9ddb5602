"""What monitoring reads at `/metrics`: facts of the database, the machine and the web processes."""
