"""The virus scan of uploaded files: the protocol of the scanner, and what a result means."""
