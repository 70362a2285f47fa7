"""Elastic materials."""

from __future__ import annotations

from dataclasses import dataclass

from carom.argument_checks import finite_float, positive, short_repr
from carom.errors import ModelError


@dataclass(frozen=True)
class Material:
    """Isotropic elastic material: Young's modulus [Pa], Poisson's ratio [-], density [kg/m³].

    Examples
    --------
    >>> import carom as cm
    >>> glass = cm.Material("glass", young=70e9, poisson=0.22, density=2500.0)
    >>> f"{cm.hertz_stiffness(0.01, 0.01, glass, cm.STEEL):.3g}"
    '5.24e+09'
    """

    name: str
    young: float
    poisson: float
    density: float

    def __post_init__(self) -> None:
        owner = f"Material {short_repr(self.name)}"
        for what, check in (("young", positive), ("density", positive), ("poisson", finite_float)):
            object.__setattr__(self, what, check(owner, what, getattr(self, what)))
        if not -1.0 < self.poisson <= 0.5:
            raise ModelError(f"{owner}: poisson must lie in (-1, 0.5], got {self.poisson:g}")

    @property
    def compliance(self) -> float:
        """Compliance σ = (1 − ν²)/E [1/Pa]: Machado et al. 2012, eq. (19)."""
        return (1.0 - self.poisson**2) / self.young

    @property
    def wave_speed(self) -> float:
        """Speed √(E/ρ) of longitudinal waves in a thin rod [m/s]."""
        return float((self.young / self.density) ** 0.5)


def composite_modulus(a: Material, b: Material) -> float:
    """Return E* = 1/(σ_a + σ_b) [Pa]: Machado et al. 2012, eq. (26)."""
    return 1.0 / (a.compliance + b.compliance)


STEEL = Material("steel", 207e9, 0.3, 7850.0)
"""Steel of the examples of Flores and Ambrósio."""

MATERIALS: dict[str, Material] = {
    material.name: material
    for material in (
        STEEL,
        Material("stainless steel", 193e9, 0.29, 8000.0),
        Material("cast iron", 110e9, 0.26, 7200.0),
        Material("aluminium", 70e9, 0.33, 2700.0),
        Material("titanium", 114e9, 0.34, 4430.0),
        Material("copper", 117e9, 0.34, 8960.0),
        Material("brass", 105e9, 0.34, 8500.0),
        Material("bronze", 110e9, 0.34, 8800.0),
        Material("tungsten carbide", 600e9, 0.22, 15600.0),
        Material("silicon nitride", 310e9, 0.27, 3200.0),
        Material("glass", 70e9, 0.22, 2500.0),
        Material("acrylic", 3.1e9, 0.37, 1180.0),
        Material("nylon", 2.8e9, 0.39, 1140.0),
        Material("pom", 3.0e9, 0.35, 1410.0),
        Material("ptfe", 0.5e9, 0.46, 2200.0),
        Material("rubber", 5e6, 0.49, 1100.0),
        Material("cartilage", 5e6, 0.46, 1100.0),
    )
}
"""Handbook values at room temperature. Alloys differ by a few per cent; polymers and tissue differ far more, so that
they should be measured."""
