"""Reference solutions for the comparison: the problems in minimal coordinates, solved tightly by SciPy.

Nothing here uses carom.
"""
