"""Base class of force elements."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from carom.geometry.element import Element
from carom.kernels import Kernel
from carom.kernels.record import RecordType
from carom.kernels.user_functions import UserFunction, UserKernel


class Force(Element):
    """Force between bodies: wrench on each body, stored energy, dissipated and applied power.

    ``params_record`` names the ``parameters``, the second record of the kernel the outputs: those of `FORCE_OUTPUT`,
    then the ``signals`` in the result, with their ``units``. ``function`` is the function of the user,
    if any.
    """

    family = "forces"
    takes_inputs = True

    planar: ClassVar[Kernel]
    spatial: ClassVar[Kernel]
    signals: tuple[str, ...] = ()
    units: tuple[str, ...] = ()

    function: UserFunction | None = None

    def compiled_function(self, body_dtype: np.dtype) -> Kernel | UserKernel | None:
        """Return the function that the kernel calls at the address behind the offsets of its bodies, if any."""
        return None if self.function is None else self.function.compile(body_dtype)

    @property
    def line_stiffness(self) -> float:
        """Stiffness of a linear spring between two points [N/m]; zero for other forces."""
        return 0.0

    @property
    def kernel(self) -> Kernel:
        """Kernel for the dimension of the bodies."""
        return self.spatial if self.in_space else self.planar

    @property
    def params_record(self) -> RecordType:
        """Record that names the parameters."""
        return self.kernel.records[0]
