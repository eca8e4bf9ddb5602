"""Rate limits: token buckets, one for each caller and kind of request."""
