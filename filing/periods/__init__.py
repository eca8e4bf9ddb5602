"""Filing periods and the filings that are due in them."""
