"""Idempotency keys: a request that is sent again has one effect, and gets the first answer again.

A key belongs to one user and address. The answer is stored in the transaction that does what the
request asks for, so a process that is killed leaves both or neither.
"""
