"""Publication: how signed submissions become the public data set of a year.

`records` makes the public values of a record and `modified_lars` those of a submission; `imports`
loads files that were published before; `builds` combines all of them into the data set of a year;
`versions` publishes, rolls back and withdraws data sets, and only `serving` reads them.
"""
