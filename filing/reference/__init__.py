"""Public reference data by year: census tracts, county loan limits, and names of MSA/MDs.

`listing` reads the files, `census` and `limits` describe them, `kinds` lists them. No Django.
"""
