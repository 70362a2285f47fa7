"""What the programs are compared with: the same problems in minimal coordinates, solved tightly by SciPy.

Nothing here uses carom.
"""
