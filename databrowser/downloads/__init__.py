"""Downloads of the records of a query: the stream of the file, and its estimated size."""
