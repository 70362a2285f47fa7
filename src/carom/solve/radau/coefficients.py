"""Coefficients of Radau IIA with three stages, of order 5.

Reference: E. Hairer, G. Wanner, Solving Ordinary Differential Equations II, 2nd ed., Springer (1996), section IV.8.
"""

from __future__ import annotations

import math

N_STAGES = 3

_ROOT = math.sqrt(6.0)

C = ((4.0 - _ROOT) / 10.0, (4.0 + _ROOT) / 10.0, 1.0)
"""Nodes of the stages, fractions of the step."""

A = (
    ((88.0 - 7.0 * _ROOT) / 360.0, (296.0 - 169.0 * _ROOT) / 1800.0, (-2.0 + 3.0 * _ROOT) / 225.0),
    ((296.0 + 169.0 * _ROOT) / 1800.0, (88.0 + 7.0 * _ROOT) / 360.0, (-2.0 - 3.0 * _ROOT) / 225.0),
    ((16.0 - _ROOT) / 36.0, (16.0 + _ROOT) / 36.0, 1.0 / 9.0),
)
B = A[2]
"""Coefficients of the stages; the last stage is the new state."""
ERROR = ((-13.0 - 7.0 * _ROOT) / 3.0, (-13.0 + 7.0 * _ROOT) / 3.0, -1.0 / 3.0)
"""Weights of the stages in the error estimate."""

MU_REAL = 3.0 + 3.0 ** (2.0 / 3.0) - 3.0 ** (1.0 / 3.0)
MU_COMPLEX = complex(
    3.0 + 0.5 * (3.0 ** (1.0 / 3.0) - 3.0 ** (2.0 / 3.0)), -0.5 * (3.0 ** (5.0 / 6.0) + 3.0 ** (7.0 / 6.0))
)
"""Eigenvalues of A⁻¹; the third is the conjugate of the second."""

QUADRATURE_ERROR = (
    1.0 / MU_REAL,
    sum(ERROR[i] * A[i][0] for i in range(N_STAGES)) / MU_REAL,
    sum(ERROR[i] * A[i][1] for i in range(N_STAGES)) / MU_REAL,
    sum(ERROR[i] * A[i][2] for i in range(N_STAGES)) / MU_REAL,
)
"""Weights of the derivatives at the beginning and at the stages in the error of a quadrature, which is not stiff."""

T = (
    (0.09443876248897524, -0.14125529502095421, 0.03002919410514742),
    (0.25021312296533332, 0.20412935229379994, -0.38294211275726192),
    (1.0, 1.0, 0.0),
)
TI = (
    (4.17871859155190428, 0.32768282076106237, 0.52337644549944951),
    (-4.17871859155190428, -0.32768282076106237, 0.47662355450055044),
    (0.50287263494578682, -2.57192694985560522, 0.59603920482822492),
)
"""Transformation and its inverse: TI A⁻¹ T is diagonal but for a block of the complex eigenvalues."""

ERROR_ORDER = 4
"""Power of the step by which the error estimate of a smooth solution falls."""
