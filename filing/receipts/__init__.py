"""Signed receipts: the keys that sign them, how they are issued, and how anyone checks them."""
