"""Filing periods, the filings in them, and whether these are timely."""
