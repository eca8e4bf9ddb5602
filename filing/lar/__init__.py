"""The record: its fields, its periods, and the parser of files. Knows no Django."""
