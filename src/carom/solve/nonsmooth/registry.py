"""Every solver of the contact problem, by name. A new one is one file with a kernel and one line here."""

from __future__ import annotations

from carom.kernels import Kernel
from carom.solve.nonsmooth.alart_curnier import alart_curnier
from carom.solve.nonsmooth.enumeration import enumeration
from carom.solve.nonsmooth.gauss_seidel import gauss_seidel
from carom.solve.nonsmooth.lemke import lemke

SOLVERS: dict[str, Kernel] = {
    "lemke": lemke,
    "enumeration": enumeration,
    "alart-curnier": alart_curnier,
    "pgs": gauss_seidel,
}

FALLBACKS: dict[str, tuple[str, ...]] = {
    "lemke": ("alart-curnier", "enumeration", "pgs"),
    "enumeration": ("lemke", "alart-curnier", "pgs"),
    "alart-curnier": ("lemke", "enumeration", "pgs"),
    "pgs": ("alart-curnier", "lemke", "enumeration"),
}
"""What to try, in this order, where a solver finds nothing."""
