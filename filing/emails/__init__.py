"""Emails: written to the outbox and sent by a job."""
