"""Bar charts and maps of the public data, and the shapes that maps are drawn from."""
