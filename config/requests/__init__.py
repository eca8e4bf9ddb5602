"""What happens to every request on its way in and out: the middlewares, by subject."""
