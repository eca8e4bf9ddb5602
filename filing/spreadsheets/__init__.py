"""Spreadsheets to a LAR and back: columns matched, values normalised, findings at their cells.

No Django: the service and the offline client use it alike.
"""
