"""Signed submissions become the public data set; the only reader of it.

`columns` names what a public row has, `derived` and `disclosure` make it from a loan as filed,
`modified` keeps the rows of one submission, `build` makes a year's data set of them, `dataset`
says which one is live.
"""
