"""What views and the web server agree on about the body of a request that nobody reads."""

REST_OF_BODY = "hmda.rest_of_body"  # in the environment of a request; of our web server
STRANGERS_PATIENCE_BYTES = 16 * 1024**2
