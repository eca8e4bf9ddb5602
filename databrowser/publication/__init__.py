"""Signed submissions become the public data set; the only reader of it.

`columns` names what a public row has, `derived`, `places` and `masking` make it from a loan as
filed, `disclosing` makes and keeps the rows of one submission, `modified` hands them out, `build`
makes a year's data set of them, `dataset` says which one is live.
"""
