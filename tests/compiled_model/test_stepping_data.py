"""Models as time stepping reads them: kernels, sizes and impact laws."""

from __future__ import annotations

import numpy as np
import pytest

import carom as cm
from carom.compiled_model.generalized_data import GeneralizedData
from carom.compiled_model.stepping_data import generalized_stepping_data, impact_law_data, stepping_data
from carom.compiled_model.system_data import SystemData


def two_discs() -> cm.System:
    """Two discs that can touch each other, the first also the ground."""
    system = cm.System()
    a, b = (system.add(cm.Body(name, 1.0, 1.0, (x, 0.0))) for name, x in (("a", 0.0), ("b", 1.0)))
    discs = [cm.Sphere(body, 0.1) for body in (a, b)]
    law = cm.ImpactLaw(0.5, 0.3, 0.1, law="poisson")
    system.add(cm.Contact(*discs, impact=law, name="pair"))
    system.add(cm.Contact(discs[0], cm.Plane(system.ground, (0.0, -1.0)), impact=cm.ImpactLaw(), name="floor"))
    return system


def test_free_bodies_need_no_kernels_of_constraints():
    data = SystemData(two_discs(), rigid=True)
    model = stepping_data(data, data.y0)
    assert model.bodies_are_free
    assert model.n_velocities == 6
    assert model.n_constraints == 0
    assert model.constraints_kernel is model.project_kernel is model.forces_kernel is None
    assert model.names == ["pair", "floor"]
    np.testing.assert_array_equal(model.start, data.y0[:12])


def test_velocity_indices_are_those_of_the_two_bodies():
    data = SystemData(two_discs(), rigid=True)
    indices = stepping_data(data, data.y0).velocity_indices
    assert [sorted(row) for row in indices.tolist()] == [[0, 3], [-1, 0]]


def test_joints_need_kernels_of_constraints():
    system = two_discs()
    system.add(cm.Revolute(system.ground, system["b"], at=(1.0, 0.0)))
    data = SystemData(system, rigid=True)
    model = stepping_data(data, data.y0)
    assert not model.bodies_are_free
    assert model.n_constraints == 2
    assert model.constraints_kernel is not None
    assert model.project_kernel is not None


def test_impact_laws_are_a_table_with_a_spare_row():
    laws = [cm.ImpactLaw(0.5, 0.3, 0.1, law="poisson"), cm.ImpactLaw(0.2)]
    table = impact_law_data(laws, [None, cm.friction.Rolling(1e-3, spinning=2e-3)])
    assert [tuple(row) for row in table] == [(0.5, 0.3, 0.1, 1, 0.0, 0.0), (0.2, 0.0, 0.0, 0, 1e-3, 2e-3), (0.0,) * 6]


def test_a_contact_without_an_impact_law_is_refused():
    system = cm.System()
    ball = cm.Sphere(system.add(cm.Body("ball", 1.0, 1.0)), 0.1)
    law = cm.laws.Hertz(1e6)
    system.add(cm.Contact(ball, cm.Plane(system.ground, (0.0, -1.0)), law=law, name="floor"))
    data = SystemData(system, rigid=True)
    with pytest.raises(cm.ModelError, match="Contact 'floor': no impact law; set impact="):
        stepping_data(data, data.y0)


def test_contacts_of_generalised_coordinates_act_on_all_velocities():
    system = cm.GeneralizedSystem(
        (1.0, 0.0), (0.0, 0.0), mass=lambda q: np.eye(2), force=lambda q, u, t: np.zeros(2), gaps=[lambda q: q[0]],
        impact=cm.ImpactLaw(0.5),
    )  # fmt: skip
    model = generalized_stepping_data(GeneralizedData(system))
    assert model.velocity_indices.tolist() == [[0]]
    assert model.velocities_per_body == model.n_velocities == 2
    assert not model.bodies_are_free


def test_implicit_steps_are_refused_for_redundant_constraints():
    data = SystemData(two_discs(), rigid=True)
    data.has_redundant_constraints = True
    with pytest.raises(cm.ModelError, match="does not support the redundant constraints"):
        stepping_data(data, data.y0).use_implicit(np.zeros(36))
