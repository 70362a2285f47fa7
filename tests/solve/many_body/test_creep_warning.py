"""Warning of groups that rest on regularised friction, and the step that friction with a stick state needs."""

import math
import warnings

import pytest
from tests.solve.many_body.systems import GRAVITY, MASS, RADIUS, STIFFNESS, add_group, add_sphere

import carom as cm
from carom.solve.many_body.default_step import default_step


def column(friction, height: float = 0.0) -> cm.System:
    """Return five spheres on top of each other, ``height`` above a floor [m]."""
    system = cm.System(dim=3, gravity=(0.0, 0.0, -GRAVITY))
    spheres = [add_sphere(system, f"ball {k}", (0.0, 0.0, height + (1 + 2 * k) * RADIUS)) for k in range(5)]
    add_group(system, spheres, [cm.Plane(system.ground)], friction=friction, name="pile")
    return system


@pytest.mark.parametrize("friction", [cm.friction.Coulomb(0.3), cm.friction.Ambrosio(0.3, 1e-3, 1e-2)])
def test_resting_groups_with_regularised_friction_are_named(friction):
    with pytest.warns(cm.CaromWarning, match="'pile': its bodies are nearly at rest .* use friction.ElastoPlastic"):
        cm.simulate(column(friction), 0.1, output=0.1, max_step=1e-4)


@pytest.mark.parametrize(
    ("friction", "height"),
    [(cm.friction.ElastoPlastic(0.3, 1e4), 0.0), (None, 0.0), (cm.friction.Coulomb(0.3), 0.2)],
)
def test_other_groups_are_not(friction, height):
    """A law that sticks, no friction, and spheres that still fall."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        cm.simulate(column(friction, height), 0.1, output=0.1, max_step=1e-4)


def test_the_default_step_resolves_the_stiffness_at_rest():
    stiffness = 1e7
    elasto_plastic, dahl = (
        default_step(system, system.groups)[0]
        for system in (column(law) for law in (cm.friction.ElastoPlastic(0.3, stiffness), cm.friction.Dahl(0.3, 1e9)))
    )
    assert elasto_plastic == pytest.approx(math.pi * math.sqrt(2.0 / 7.0 * 0.5 * MASS / stiffness) / 30.0, rel=1e-6)
    speed = math.sqrt(2.0 * GRAVITY * 8.0 * RADIUS)
    peak = cm.laws.HuntCrossley(STIFFNESS, 0.7).impact(0.5 * MASS, speed).peak_force
    assert dahl == pytest.approx(math.pi * math.sqrt(2.0 / 7.0 * 0.5 * MASS / (1e9 * peak)) / 30.0, rel=1e-4)
