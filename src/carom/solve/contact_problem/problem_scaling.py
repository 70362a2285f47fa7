"""Scaling of a contact problem to numbers near one: ξ' = s_ξ ξ, P = s_P P', G' = s_ξ G s_P.

With s_ξ = s_P = 1/√G_ii the Delassus matrix gets a unit diagonal, whatever the masses. A general matrix is scaled by
its largest numbers, rows first.
"""

from __future__ import annotations

import math

from carom.kernels import floats, jit
from carom.solve.contact_problem.natural_residual import response


@jit
def compute_scaling(problem, xi_scale, P_scale):
    """Store the factors s_ξ [√kg] and s_P [√kg] of every row; for a general matrix in the units of its rows."""
    dim = problem.rows_per_contact
    size = problem.n_contacts * dim
    G = floats(problem.G)
    if dim > 1:
        for k in range(size):
            xi_scale[k] = 1.0 / math.sqrt(response(problem, k))
            P_scale[k] = xi_scale[k]
        return
    for k in range(size):
        xi_scale[k] = 1.0 / response(problem, k)
    for j in range(size):
        max_abs = 0.0
        for k in range(size):
            max_abs = max(max_abs, abs(xi_scale[k] * G[k * size + j]))
        P_scale[j] = 1.0 / max_abs if max_abs > 0.0 else 1.0
