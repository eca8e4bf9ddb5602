"""Makes LAR files of any size: correct ones, and ones that trigger named edits.

for piece in make_lar_file(LarRecipe(period=Period(2024), lei=lei, rows=1000), tracts): ...
"""

from filing.demo.files.lar_file import LarRecipe, find_unreadable_edits, make_lar_file

__all__ = ["LarRecipe", "find_unreadable_edits", "make_lar_file"]
