"""Universal Loan Identifiers: check digits computed and verified, one at a time and by the file."""
