"""The daily verification of the audit log, and heads of its chain in places out of reach."""
