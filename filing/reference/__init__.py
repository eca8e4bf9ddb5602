"""Public facts that the rules look up, by year: census tracts and county loan limits.

`listing`, `census`, `limits` and `demo` read and describe them and know no Django; `registry` keeps
what was loaded and hands it out.
"""
