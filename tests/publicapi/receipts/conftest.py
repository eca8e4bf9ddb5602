"""A signed submission, and keys in a folder of the test's own."""

from tests.filing.receipts.conftest import file, folder, signature, verified

__all__ = ["file", "folder", "signature", "verified"]
