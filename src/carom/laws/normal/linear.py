"""Linear spring."""

from __future__ import annotations

import math

from carom.argument_checks import finite_float, positive
from carom.errors import ModelError
from carom.laws.normal.power_law import PowerLaw


class Linear(PowerLaw):
    """F = K δ, elastic; K [N/m].

    Examples
    --------
    >>> import carom as cm
    >>> round(cm.laws.Linear(stiffness=1e6).force(1e-4), 6)
    100.0
    """

    name = "linear"
    formula = "F = K δ"
    reference = (
        "D.C.H. Yang, Z.S. Sun, A rotary model for spur gear dynamics, "
        "J. Mechanisms, Transmissions and Automation in Design 107 (1985) 529–535"
    )
    arguments = ("stiffness",)

    def __init__(self, stiffness: float):
        super().__init__(stiffness, 1.0)

    @classmethod
    def gear(cls, young: float, poisson: float, width: float) -> Linear:
        """Return the law of two spur gears, K = π E L/(4 (1 − ν²)).

        E is Young's modulus [Pa], ν Poisson's ratio [-] and L the face width [m].
        """
        modulus, length = positive("Linear.gear", "young", young), positive("Linear.gear", "width", width)
        ratio = finite_float("Linear.gear", "poisson", poisson)
        if not -1.0 < ratio <= 0.5:
            raise ModelError(f"Linear.gear: poisson must lie in (-1, 0.5], got {ratio:g}")
        return cls(math.pi * modulus * length / (4.0 * (1.0 - ratio**2)))
