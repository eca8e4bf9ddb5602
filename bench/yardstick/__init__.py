"""Checks of files with the published rules in plain Python, row by row.

What the engine finds is compared with it by the tests, and how fast it is by the benchmarks. It
shares the table of fields with the service, and no code.
"""
