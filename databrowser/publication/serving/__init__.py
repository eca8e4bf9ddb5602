"""The only reader of the public data: the published data sets, and the engine that queries them."""
