"""Webhooks: an institution's programs are notified when one of its filings changes.

`endpoints` registers the addresses. `deliveries` writes a delivery and its job in the transaction
of the event it reports, as `filing.emails.outbox` does with emails. `sending` is the job: it makes
one request (`calling`), signed (`signing`), records the answer and decides on the next attempt.
"""
