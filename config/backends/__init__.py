"""Django and Celery backends of our own: caches that may fail, and a folder as queue."""
