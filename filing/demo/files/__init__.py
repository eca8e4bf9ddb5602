"""Makes LAR files of any size: correct ones, and ones that trigger named edits.

for piece in make(Recipe(period=Period(2024), lei=lei, rows=1000), tracts): out.write(piece)
"""

from filing.demo.files.failing import unreadable
from filing.demo.files.lar_file import Recipe, make

__all__ = ["Recipe", "make", "unreadable"]
