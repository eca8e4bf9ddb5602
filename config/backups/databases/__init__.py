"""The database: a snapshot by its own tool while others write to it, and the way back.

`sqlite` and `postgresql` have the same two functions, `take_snapshot` and `restore_snapshot`;
`kinds` chooses.
"""
