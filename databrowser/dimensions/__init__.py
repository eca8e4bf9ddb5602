"""What public rows are chosen by: places and data filters, their values, conditions in SQL."""
