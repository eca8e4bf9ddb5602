"""What happens to every request on its way in and out: one middleware a module."""
