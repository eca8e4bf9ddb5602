"""The only reader of the public data: which data sets are live, and the queries they answer."""
