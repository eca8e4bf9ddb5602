"""The database: a snapshot by its own tool while others write to it, and the way back.

`sqlite` and `postgresql` have the same two functions, `snapshot` and `restore`; `kinds` chooses.
"""
