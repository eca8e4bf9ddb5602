"""Reports unexpected errors to a Sentry server, without anything that callers sent."""
