"""How often one may ask: token buckets, one for each caller and kind of request."""
