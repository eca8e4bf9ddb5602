"""The audit chain: it binds the entries that are evidence, so that no change goes unnoticed.

tables        the entries: audit log, status changes, signatures, attempts, removals
links         how a link is computed
sealing       appends the links of new entries
heads         the last link, for the site and for a submission
removal       removes entries under a retention rule
verification  finds entries that were changed, removed, inserted or moved
"""
