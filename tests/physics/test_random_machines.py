"""Random chains of bodies among free spheres and discs: momentum and energy, for both kinds of contact."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import carom as cm

LINK, RADIUS = 0.12, 0.008
JOINTS = ("hinge", "hinge with limits", "guide with limits", "spring")
METHODS = {"compliant": {}, "nonsmooth": {"step": 2e-4}}
ANGULAR_ERROR = {"compliant": 1e-6, "nonsmooth": 3e-5}
"""Change of the angular momentum, whose parts are up to 0.2 kg m²/s: by joints, also by position projection."""


def add_joint(system: cm.System, kind: str, one: cm.Body, two: cm.Body, at: tuple[float, ...]) -> None:
    """Connect two links of a chain."""
    spatial = system.dim == 3
    if kind == "spring":
        ends = ((0.5 * LINK, 0.0, 0.0)[: system.dim], (-0.5 * LINK, 0.01, 0.0)[: system.dim])
        system.add(cm.SpringDamper(one.point(*ends[0]), two.point(*ends[1]), stiffness=200.0, damping=0.5))
    elif kind == "guide with limits":
        axis = (0.0, 1.0, 0.0)[: system.dim]
        system.add(cm.Prismatic(one, two, at=at, axis=axis, limits=(-0.005, 0.005)))
    else:
        axis = {"axis": (0.0, 0.0, 1.0)} if spatial else {}
        limits = {"limits": (-0.02, 0.03)} if kind == "hinge with limits" else {}
        system.add(cm.Revolute(one, two, at=at, **axis, **limits))


def machine(dim: int, joints: list[str], seed: int) -> cm.System:
    """Return a chain without gravity that 20 spheres or discs of random velocities hit."""
    rng = np.random.default_rng(seed)
    system = cm.System(dim=dim, name="machine")
    links = []
    for k in range(len(joints) + 1):
        mass = float(rng.uniform(0.2, 2.0))
        inertia = float(mass * 0.05**2) if dim == 2 else tuple(mass * 0.05**2 * rng.uniform(0.8, 1.2, 3))
        links.append(system.add(cm.Body(f"link {k}", mass, inertia, (LINK * k, 0.0, 0.0)[:dim])))
    for k, kind in enumerate(joints):
        add_joint(system, kind, links[k], links[k + 1], (LINK * (k + 0.5), 0.0, 0.0)[:dim])
    spheres = []
    for k in range(20):
        mass = 0.05
        inertia = (0.4 * mass * RADIUS**2,) * 3 if dim == 3 else 0.4 * mass * RADIUS**2
        place = (LINK * len(joints) * (k // 4) / 4, 0.03 + 0.02 * (k % 4), 0.0)[:dim]
        velocity = (0.3 * rng.normal(), -2.0, 0.3 * rng.normal())[:dim]
        spheres.append(cm.Sphere(system.add(cm.Body(f"grain {k}", mass, inertia, place, velocity=velocity)), RADIUS))
    arms = [cm.Segment(link, (-0.05, 0.0, 0.0)[:dim], (0.05, 0.0, 0.0)[:dim], radius=0.006) for link in links]
    law, friction = cm.laws.HuntCrossley(stiffness=1e6, restitution=0.7), cm.friction.Coulomb(0.3)
    group = cm.ContactGroup(spheres, arms, law, friction, cm.ImpactLaw(0.4, 0.3), name="grains")
    system.groups.append(group)  # also if it has few pairs
    return system


def momenta(system: cm.System, result: cm.Result) -> tuple[np.ndarray, np.ndarray]:
    """Return linear momentum and, in the plane, angular momentum about the origin at all nodes."""
    linear, angular = np.zeros((len(result.t), system.dim)), np.zeros(len(result.t))
    for body in system.bodies:
        r, v = result[body].position, result[body].velocity
        linear += body.mass * v
        if system.dim == 2:
            angular += body.mass * (r[:, 0] * v[:, 1] - r[:, 1] * v[:, 0]) + body.inertia * result[body].omega
    return linear, angular


@pytest.mark.slow
@pytest.mark.parametrize("method", METHODS)
@settings(max_examples=8, deadline=None)
@given(dim=st.sampled_from([2, 3]), joints=st.lists(st.sampled_from(JOINTS), min_size=1, max_size=3),
       seed=st.integers(0, 10**6))  # fmt: skip
def test_momentum_and_energy_of_random_machines(method, dim, joints, seed):
    """No force from outside acts: momentum is constant to rounding, and energy only decreases by what is lost."""
    system = machine(dim, joints, seed)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", ".*(indents|projection put|redundant|did not reach)")
        result = cm.simulate(system, 0.08, method=method, output=5e-3, **METHODS[method])
    assert result.outcome.ok
    linear, angular = momenta(system, result)
    assert np.abs(linear - linear[0]).max() < 1e-12 * np.abs(linear[0]).max()
    assert np.abs(angular - angular[0]).max() < ANGULAR_ERROR[method]
    assert result.energy.drift < 2e-3
    total = result.energy.kinetic + result.energy.elastic
    assert total.max() < (1.0 + 2e-3) * total[0]
    assert total[-1] < 0.9 * total[0]
