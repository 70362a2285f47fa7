"""Base class of laws of wear.

During an interval of a run the geometry is constant, and compiled code accumulates the work W = ∫ F |v| dt [J] of the
normal force F over the sliding distance, sector by sector. At the end of the interval a law says how much material the
work removes, and the worn geometry is updated (see `carom.laws.wear.removal`).
"""

from __future__ import annotations

from typing import Any

from carom.argument_checks import finite_float, integer, non_negative, one_of, positive
from carom.errors import ModelError
from carom.init_arguments import InitArguments
from carom.laws.wear.profile import WearProfile

DISTRIBUTIONS = ("lumped", "pressure")
"""Distributions of the removed material over a surface."""
MIN_SECTORS, MAX_SECTORS = 36, 7200
"""Numbers of sectors of a circumference, or points of a surface."""
STEEL_DENSITY = 7850.0
"""Default density [kg/m³]."""


class WearLaw(InitArguments):
    """Law of wear of a contact, and how its geometry follows."""

    name: str
    formula: str
    reference: str
    arguments: tuple[str, ...] = (
        "distribution", "cycle_factor", "interval", "share", "length", "wall", "density", "sectors", "profile",
    )  # fmt: skip
    change_advice = "build a new law and a new joint"

    def __init__(
        self,
        distribution: str = "lumped",
        cycle_factor: float = 1.0,
        interval: float | None = None,
        share: float = 0.5,
        length: float | None = None,
        wall: float | None = None,
        density: float = STEEL_DENSITY,
        sectors: int = 720,
        profile: WearProfile | None = None,
    ):
        owner = type(self).__name__
        self.distribution = one_of(owner, "distribution", distribution, DISTRIBUTIONS)
        self.cycle_factor = positive(owner, "cycle_factor", cycle_factor)
        self.interval = None if interval is None else positive(owner, "interval", interval)
        self.share = finite_float(owner, "share", share)
        if not 0.0 <= self.share <= 1.0:
            raise ModelError(f"{owner}: share must lie in [0, 1], got {self.share:g}")
        self.length = None if length is None else positive(owner, "length", length)
        self.wall = None if wall is None else positive(owner, "wall", wall)
        self.density = non_negative(owner, "density", density)
        self.sectors = integer(owner, "sectors", sectors, MIN_SECTORS, MAX_SECTORS)
        if profile is not None and not isinstance(profile, WearProfile):
            raise ModelError(f"{owner}: profile must be a carom.wear.WearProfile, got {type(profile).__name__}")
        self.profile = profile

    def removed_volume(self, work: Any) -> Any:
        """Return the volume [m³] that the work ∫ F ds [J] removes."""
        raise NotImplementedError

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{key}={value!r}' for key, value in self.keywords().items())})"

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and isinstance(other, WearLaw) and self.keywords() == other.keywords()

    def __hash__(self) -> int:
        return hash((type(self), *sorted(key for key in self.keywords() if key != "profile")))
