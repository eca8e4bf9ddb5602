"""What views and the web server agree on about a request body that is not read."""

REST_OF_BODY = "hmda.rest_of_body"  # key in the environment of a request, set by our web server
ANONYMOUS_BODY_BYTES = 16 * 1024**2  # of a caller who is not authenticated, read and dropped
