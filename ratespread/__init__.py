"""The spread between the annual percentage rate of a loan and the average prime offer rate."""
