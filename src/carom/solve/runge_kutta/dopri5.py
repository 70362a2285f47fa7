"""Dormand–Prince 5(4): the default; fifth order, an error estimate of fourth."""

from __future__ import annotations

import numpy as np

from carom.solve.runge_kutta.butcher_tableau import Tableau, lower

B = [35 / 384, 0, 500 / 1113, 125 / 192, -2187 / 6784, 11 / 84, 0]

DOPRI5 = Tableau(
    name="dopri5",
    order=5,
    error_order=5,
    c=np.array([0, 1 / 5, 3 / 10, 4 / 5, 8 / 9, 1, 1]),
    a=lower(
        [
            [],
            [1 / 5],
            [3 / 40, 9 / 40],
            [44 / 45, -56 / 15, 32 / 9],
            [19372 / 6561, -25360 / 2187, 64448 / 6561, -212 / 729],
            [9017 / 3168, -355 / 33, 46732 / 5247, 49 / 176, -5103 / 18656],
            B[:6],
        ],
        7,
    ),
    b=np.array(B),
    error=np.array([71 / 57600, 0, -71 / 16695, 71 / 1920, -17253 / 339200, 22 / 525, -1 / 40]),
    reference="J. R. Dormand, P. J. Prince, A family of embedded Runge-Kutta formulae, J. Comp. Appl. Math. 6 (1980).",
)
