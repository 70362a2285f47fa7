"""Limits of joint coordinates as users write them: one pair for a joint with one coordinate, else pairs by name."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from carom.argument_checks import finite_float, is_list, short_repr
from carom.errors import ModelError
from carom.laws.impact_law import ImpactLaw
from carom.laws.normal.base import NormalLaw

LimitPair = Sequence[float | None]
Limits = LimitPair | Mapping[str, LimitPair] | None
"""Lower and upper limit of a coordinate, None: no limit; for a joint with several coordinates by their names."""
StopLaw = NormalLaw | Mapping[str, NormalLaw] | None
StopImpact = ImpactLaw | Mapping[str, ImpactLaw] | None


@dataclass(frozen=True)
class CoordinateLimits:
    """Limits of one coordinate and the laws of its stops; without a law, a stop is stiff and dissipative."""

    lower: float | None
    upper: float | None
    law: NormalLaw | None = None
    impact: ImpactLaw | None = None

    @property
    def pair(self) -> tuple[float | None, float | None]:
        """Lower and upper limit."""
        return self.lower, self.upper


def limits_of(
    owner: str, coordinates: Sequence[str], limits: Limits, law: StopLaw, impact: StopImpact
) -> dict[str, CoordinateLimits]:
    """Return the limits by coordinate from the arguments of a joint with these ``coordinates``."""
    if limits is None:
        for what, value in (("law", law), ("impact", impact)):
            if value is not None:
                raise ModelError(f"{owner}: {what} is that of the stops and requires limits=(lower, upper)")
        return {}
    pairs = {name: _pair(owner, name, value) for name, value in _by_name(owner, coordinates, limits).items()}
    laws = _laws(owner, "law", pairs, law, NormalLaw, "one of carom.laws, such as laws.KelvinVoigt(1e4, 10.0)")
    impacts = _laws(owner, "impact", pairs, impact, ImpactLaw, "an ImpactLaw, such as ImpactLaw(restitution=0.4)")
    for rule in impacts.values():
        if rule is not None and (rule.friction > 0.0 or rule.tangential_restitution > 0.0):
            raise ModelError(
                f"{owner}: impact must have no friction and no tangential restitution at a stop, got {rule!r}"
            )
    return {name: CoordinateLimits(*pair, laws.get(name), impacts.get(name)) for name, pair in pairs.items()}


def _by_name(owner: str, coordinates: Sequence[str], limits: Any) -> Mapping[str, Any]:
    """Return the given limits by the names of their coordinates."""
    example = ", ".join(f"{name!r}: (lower, upper)" for name in coordinates)
    if isinstance(limits, Mapping):
        for name in limits:
            if name not in coordinates:
                raise ModelError(
                    f"{owner}: limits has the unknown coordinate {short_repr(name)}; choose from "
                    f"{', '.join(coordinates)}"
                )
        return {name: pair for name, pair in limits.items() if pair is not None}
    if len(coordinates) == 1:
        return {coordinates[0]: limits}
    raise ModelError(
        f"{owner}: limits must be a mapping for several coordinates, {{{example}}}, got {short_repr(limits)}"
    )


def _pair(owner: str, name: str, value: Any) -> tuple[float | None, float | None]:
    """Return the two limits of a coordinate; infinite ones are None."""
    if not is_list(value) or len(value) != 2:
        raise ModelError(f"{owner}: limits must be (lower, upper), None for no limit, got {short_repr(value)}")
    lower, upper = (_limit(owner, number) for number in value)
    if lower is None and upper is None:
        raise ModelError(f"{owner}: limits of {name!r} has no limit, got {short_repr(value)}; omit limits")
    if lower is not None and upper is not None and not lower < upper:
        raise ModelError(f"{owner}: limits must be (lower, upper) with lower < upper, got ({lower:g}, {upper:g})")
    return lower, upper


def _limit(owner: str, value: Any) -> float | None:
    if value is None or (isinstance(value, float) and math.isinf(value)):
        return None
    return finite_float(owner, "limits", value)


def _laws(owner: str, what: str, names: Any, value: Any, kind: type, example: str) -> dict[str, Any]:
    """Return laws by coordinate: one for all of them, or a mapping."""
    laws = dict(value) if isinstance(value, Mapping) else dict.fromkeys(names, value)
    for name, law in laws.items():
        if name not in names:
            raise ModelError(
                f"{owner}: {what} has {short_repr(name)}, which has no limits; limits has {', '.join(names)}"
            )
        if law is not None and not isinstance(law, kind):
            raise ModelError(f"{owner}: {what} must be {example}, got {short_repr(law)}")
    return laws
