"""The Institution Register Summary (IRS) of an institution: JSON, CSV and its page."""
