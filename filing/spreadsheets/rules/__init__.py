"""The rules that normalise values: each has one reading, and every change is listed.

A rule is an expression over the distinct values of a column: `value`, `kind` and `beside`.
"""
