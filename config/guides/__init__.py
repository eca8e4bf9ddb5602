"""The documents of the service as pages: guides for everyone, the operators' guide for staff."""
