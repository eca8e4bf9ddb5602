"""The filters of the public records: places and data filters, their values, their SQL."""
