"""The classical Runge–Kutta method of fourth order, with a fixed step."""

from __future__ import annotations

import numpy as np

from carom.solve.runge_kutta.butcher_tableau import Tableau, lower

RK4 = Tableau(
    name="rk4",
    order=4,
    error_order=4,
    c=np.array([0, 1 / 2, 1 / 2, 1]),
    a=lower([[], [1 / 2], [0, 1 / 2], [0, 0, 1]], 4),
    b=np.array([1 / 6, 1 / 3, 1 / 3, 1 / 6]),
    reference="W. Kutta, Beitrag zur Integration totaler Differentialgleichungen, Z. Math. Phys. 46 (1901).",
)
