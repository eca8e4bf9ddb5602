"""The yearly public reports: of each MSA/MD, and of each institution in each MSA/MD."""
