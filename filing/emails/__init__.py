"""Emails: written to the outbox, sent by a job."""
