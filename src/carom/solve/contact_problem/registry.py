"""Registry of the solvers of the contact problem. A new solver is one module with a kernel and one line here."""

from __future__ import annotations

from carom.kernels import Kernel
from carom.solve.contact_problem.alart_curnier import alart_curnier
from carom.solve.contact_problem.enumeration import enumeration
from carom.solve.contact_problem.lemke import lemke
from carom.solve.contact_problem.projected_gauss_seidel import projected_gauss_seidel

SOLVERS: dict[str, Kernel] = {
    "lemke": lemke,
    "enumeration": enumeration,
    "alart-curnier": alart_curnier,
    "pgs": projected_gauss_seidel,
}

ROLLING_SOLVERS: dict[int, tuple[str, ...]] = {1: ("lemke", "alart-curnier", "pgs"), 2: ("alart-curnier", "pgs")}
"""Solvers that support rolling resistance, by the number of tangential rows of a contact."""

FALLBACKS: dict[str, tuple[str, ...]] = {
    "lemke": ("alart-curnier", "enumeration", "pgs"),
    "enumeration": ("lemke", "alart-curnier", "pgs"),
    "alart-curnier": ("lemke", "enumeration", "pgs"),
    "pgs": ("alart-curnier", "lemke", "enumeration"),
}
"""Solvers to try, in this order, where a solver does not find a solution; none for a solver that is not listed."""


def solver_sequence(solver: str, tangents: int, has_rolling: bool) -> list[str]:
    """Return a solver and its fallbacks, as far as they support the contacts of a model."""
    usable = ROLLING_SOLVERS[tangents] if has_rolling else tuple(SOLVERS)
    return [name for name in (solver, *FALLBACKS.get(solver, ())) if name in usable]
