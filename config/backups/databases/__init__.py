"""A snapshot of the database while it is written to, and a restored one in a fresh place.

`sqlite` and `postgresql` have the same two functions, `snapshot` and `restored`; `kinds` chooses.
"""
