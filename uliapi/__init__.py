"""Universal Loan Identifiers (ULIs): generating and validating check digits, singly or by file."""
