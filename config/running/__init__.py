"""The processes of the service on one machine: start, claim of a data folder, logs."""
