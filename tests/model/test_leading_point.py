"""Signals of a contact with several contact points: sums, and those of its leading point."""

import numpy as np
import pytest

import carom as cm
from carom.model.contact import SUMS
from carom.plot.contact_data import contact_samples

ANGLE = 0.1
LAW = cm.laws.ExactRestitution(1e5, 0.2)
IMPACT = cm.ImpactLaw(0.0, friction=0.3)


def tilted_box():
    """Return a spatial box above the ground; it hits it with an edge first."""
    system = cm.System(gravity=(0.0, 0.0, -9.81), dim=3)
    inertia = (1.0 / 60.0,) * 3
    half = 0.5 * ANGLE
    turn = (np.cos(half), 0.0, np.sin(half), 0.0)
    box = cm.Body("box", 1.0, inertia, position=(0.0, 0.0, 0.15), orientation=turn)
    system.add(box)
    system.add(cm.Contact(cm.Box(box, (0.1, 0.1, 0.1)), cm.Plane(system.ground), LAW, impact=IMPACT, name="floor"))
    return system


def planar_box():
    """Return a square above the ground; it hits it with a corner first."""
    system = cm.System(gravity=(0.0, -9.81))
    box = system.add(cm.Body("box", 1.0, 1.0 / 60.0, position=(0.0, 0.15), angle=ANGLE))
    square = cm.Polygon(box, [(-0.1, -0.1), (0.1, -0.1), (0.1, 0.1), (-0.1, 0.1)])
    system.add(cm.Contact(square, cm.Plane(system.ground, (0, 0), (0, 1)), LAW, impact=IMPACT, name="floor"))
    return system


@pytest.fixture(params=[planar_box, tilted_box])
def system(request):
    return request.param()


@pytest.fixture(params=["compliant", "nonsmooth"])
def result(request, system):
    options = {"step": 1e-3} if request.param == "nonsmooth" else {}
    return cm.simulate(system, 0.5, method=request.param, **options)


def test_whole_has_the_signals_of_a_single_contact(system, result):
    part, whole = result["floor 1"], result["floor"]
    assert whole.names == (*part.names, "touching")
    assert whole.units == {**part.units, "touching": "1"}


def test_leading_point_is_the_deepest_one_in_contact(system, result):
    whole, parts = result["floor"], [result[part] for part in system["floor"].parts]
    columns = {name: np.stack([getattr(part, name) for part in parts]) for name in parts[0].names}
    touching = columns["contact_mode"] > 0.0
    np.testing.assert_array_equal(whole.touching, touching.sum(axis=0))
    assert whole.touching.max() >= 2
    np.testing.assert_array_equal(whole.indentation, columns["indentation"].max(axis=0))
    np.testing.assert_array_equal(whole.contact_mode, columns["contact_mode"].max(axis=0))
    assert whole.contact_mode[0] == 0.0
    assert whole.contact_mode.max() == 2.0
    for name in SUMS:
        if name in columns:
            np.testing.assert_array_equal(getattr(whole, name), columns[name].sum(axis=0))
    sliding = "sliding_velocity" if result.dim == 2 else "sliding_speed"
    for k in range(len(result.t)):
        chosen = [j for j in range(len(parts)) if touching[j, k] or not touching[:, k].any()]
        leading = max(chosen, key=lambda j: columns["indentation"][j, k])
        for name in ("indentation_rate", sliding, "x", "y", "nx", "ny", *(("z", "nz") if result.dim == 3 else ())):
            assert getattr(whole, name)[k] == columns[name][leading, k]


def test_falling_box_leads_with_its_lowest_corner(system):
    whole = cm.simulate(system, 0.01, method="compliant")["floor"]
    lowest = -0.1 * (np.cos(ANGLE) + np.sin(ANGLE))
    np.testing.assert_allclose(whole.indentation, -(0.15 - 0.5 * 9.81 * whole.t**2 + lowest), atol=1e-6)
    sign = -1.0 if "z" not in whole.names else 1.0
    np.testing.assert_allclose(whole.x, sign * 0.1 * (np.cos(ANGLE) - np.sin(ANGLE)), atol=2e-4)
    np.testing.assert_allclose(getattr(whole, "nz" if "z" in whole.names else "ny"), 1.0, atol=1e-12)


def test_impacts_of_the_whole_are_those_of_its_points(system, result):
    of_points = [impact.contact for impact in result.impacts]
    assert len(set(of_points)) >= 2
    assert [impact.contact for impact in result.impacts.of("floor")] == of_points
    assert all(impact.contact == "floor 1" for impact in result.impacts.of("floor 1"))
    samples = contact_samples(result, "floor")
    t = samples.t[~np.isnan(samples.t)]
    assert len(t) > 10
    assert np.all(np.diff(t) >= 0.0)
