"""Integrals of the overlap of two shapes, for laws of the pressure."""

from __future__ import annotations

from carom.kernels import FLOAT, record

OVERLAP = record(
    volume=FLOAT,  # |∫u n dA| [m³]
    squares=FLOAT,  # ∫u² dA [m⁴]
    area=FLOAT,  # of the elements that overlap [m²]
    moment=(FLOAT, 3),  # of ∫u n dA about the centre of pressure over its magnitude, in global axes [m]
)
"""Integrals of an overlap; all are zero without one."""
