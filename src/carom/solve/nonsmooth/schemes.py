"""Every time stepping scheme, by name. A new one is one file with a kernel and one line here."""

from __future__ import annotations

from carom.kernels import Kernel
from carom.solve.nonsmooth.moreau import moreau

SCHEMES: dict[str, Kernel] = {"moreau": moreau}
