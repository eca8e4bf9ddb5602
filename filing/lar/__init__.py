"""The record: its fields, its periods and how a file of it is read. Knows no Django."""
