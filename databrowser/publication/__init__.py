"""Signed submissions become the public data set of a year.

`records` makes the public values of one record, `disclosing` the rows of one submission; `imports`
takes in files that were published before, `builds` makes a year's data set of all of them;
`versions` says which one readers get, and `serving` is the only reader of it.
"""
