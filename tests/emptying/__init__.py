"""An app of the tests: it empties the database after a test that commits."""
