"""Compiled form of a System: arrays, addresses and columns of the result."""

from __future__ import annotations

import ctypes
import math
from itertools import pairwise

import numpy as np
import pytest

import carom as cm
from carom.compiled_model.system_data import SystemData
from carom.mechanics import stepping
from carom.mechanics.model_record import MODEL
from carom.mechanics.planar_body import BODY_DTYPE, DOF, PLANAR_BODY
from carom.solve.model_evaluator import ModelEvaluator
from mechanics.random_mechanisms import FAMILIES
from solve.mechanisms import pendulum, slider_crank

ADDRESSED = (
    "mass", "inverse_mass", "gravity_force", "joints", "forces", "jacobian_blocks", "body_offsets",
    "params", "settings", "bodies", "Phi", "nu", "gamma_c", "Phi_q", "element_output", "rhs_motion", "rhs_constraint",
    "acceleration", "lam", "residual_motion", "residual_constraint", "trial_state", "solver",
)  # fmt: skip


def machine() -> cm.System:
    """A driven slider-crank with a spring, a torque and a motion with breaks."""
    system = slider_crank(angle=0.4)
    system.add(cm.SpringDamper(system.ground.point(1.0, 0.0), system["slider"], 100.0, damping=2.0, name="spring"))
    system.add(cm.Torque(system["crank"], 1.5, name="load"))
    system.add(cm.Driver(system["bearing"], cm.StepMotion(0.25, 0.4, 0.5, 1.0), name="motor"))
    return system


@pytest.mark.parametrize("family", [*FAMILIES, "machine"])
def test_model_record_points_at_the_arrays(family):
    system = machine() if family == "machine" else FAMILIES[family](np.random.default_rng(2), 7)
    tables = SystemData(system)
    for place in ADDRESSED:
        array = tables[place]
        assert getattr(tables.model, place) == array.ctypes.data
        assert array.flags.c_contiguous
        assert all(array.dtype[name] in (np.float64, np.int64) for name in array.dtype.names or ()) or array.dtype in (
            np.float64,
            np.int64,
        )
        first = ctypes.cast(getattr(tables.model, place), ctypes.POINTER(ctypes.c_int64))[0] if array.size else None
        assert first is None or first == array.ravel().view(np.int64)[0]


def test_every_field_of_the_model_record_is_set():
    tables = SystemData(machine())
    counts = {"n_bodies": 3, "n_velocities": 9, "n_constraints": 9, "n_joints": 5, "n_forces": 2}
    for place, count in counts.items():
        assert getattr(tables.model, place) == count
    # Every row has one block of three numbers for each moving body: A 1 + B 2 + C 2 + guide 1 (two rows each), motor 1.
    assert tables.model.n_jacobian_blocks == 2 * (1 + 2 + 2 + 1) + 1
    of_contacts = {
        "n_contacts", "n_joint_frictions", "contact_forces_kernel", "contact_in_step_kernel", "n_extra_states",
        "n_warm_start",
    }  # fmt: skip
    of_spatial_bodies = {
        "body_kernel", "orientation_rate_kernel", "update_orientation_kernel", "rows_to_velocity_axes_kernel",
        "forces_to_velocity_axes_kernel", "principal_axes", "reference_orientation",
    }  # fmt: skip
    of_inputs = {"n_inputs", "n_varying_inputs", "n_input_slots", "inputs", "input_slots"}
    of_wear = {"n_wear", "wear", "wear_work"}
    unused = {*of_contacts, *of_spatial_bodies, *of_inputs, *of_wear, "generalized"}
    assert {name for name in MODEL if getattr(tables.model, name) == 0} == unused


def test_solver_table_points_at_its_arrays():
    for links in (2, 30):
        system = FAMILIES["driven"](np.random.default_rng(4), links)
        tables = SystemData(system)
        assert tables.solver_arrays
        for name, array in tables.solver_arrays.items():
            assert tables["solver"][name] == array.ctypes.data


def test_masses_and_gravity_forces_are_in_the_order_of_the_bodies():
    system = cm.System(gravity=(1.0, -10.0))
    system.add(cm.Body("a", 2.0, 0.5))
    system.add(cm.Body("b", 4.0, 0.25))
    tables = SystemData(system)
    np.testing.assert_array_equal(tables["mass"], [2.0, 2.0, 0.5, 4.0, 4.0, 0.25])
    np.testing.assert_array_equal(tables["inverse_mass"], [0.5, 0.5, 2.0, 0.25, 0.25, 4.0])
    np.testing.assert_array_equal(tables["gravity_force"], [2.0, -20.0, 0.0, 4.0, -40.0, 0.0])


def test_state_is_coordinates_then_velocities_then_quadratures():
    system = cm.System()
    system.add(cm.Body("a", 1.0, 1.0, (1.0, 2.0), 3.0, (4.0, 5.0), 6.0))
    system.add(cm.Body("b", 1.0, 1.0, (7.0, 8.0), 9.0, (10.0, 11.0), 12.0))
    tables = SystemData(system)
    np.testing.assert_array_equal(tables.y0, [1, 2, 3, 7, 8, 9, 4, 5, 6, 10, 11, 12, 0, 0, 0])
    tables.write_back(-tables.y0)
    assert system["b"].position == (-7.0, -8.0)
    assert system["b"].angle == -9.0
    assert system["a"].velocity == (-4.0, -5.0)
    assert system["a"].angular_velocity == -6.0


@pytest.mark.parametrize("family", FAMILIES)
def test_rows_and_jacobian_blocks_follow_each_other_without_gaps(family):
    tables = SystemData(FAMILIES[family](np.random.default_rng(3), 9))
    table = tables["joints"]
    rows = [joint.rows for joint in tables.joints]
    widths = [joint.rows * len(joint.members) * DOF for joint in tables.joints]
    np.testing.assert_array_equal(table["first_row"], np.concatenate([[0], np.cumsum(rows)[:-1]]))
    np.testing.assert_array_equal(table["jacobian_offset"], np.concatenate([[0], np.cumsum(widths)[:-1]]))
    assert tables.n_constraints == sum(rows)
    assert tables.jacobian_size == sum(widths)
    for joint, entry in zip(tables.joints, table, strict=True):
        first = entry["params_offset"]
        np.testing.assert_array_equal(tables["params"][first : first + len(joint.parameters)], joint.parameters)
        for row in range(entry["first_row"], entry["first_row"] + entry["n_rows"]):
            assert tables.row_owner(row) is joint


@pytest.mark.parametrize("family", FAMILIES)
def test_jacobian_blocks_contain_every_moving_body_of_every_row_once(family):
    system = FAMILIES[family](np.random.default_rng(3), 9)
    tables = SystemData(system)
    place = {id(body): DOF * k for k, body in enumerate(system.bodies)}
    expected = set()
    row = jac = 0
    for joint in tables.joints:
        for _ in range(joint.rows):
            for member in joint.members:
                if id(member) in place:
                    expected.add((row, jac, place[id(member)]))
                jac += DOF
            row += 1
    found = [tuple(link) for link in tables["jacobian_blocks"].tolist()]
    assert len(found) == len(expected)
    assert set(found) == expected


def test_record_carries_the_names_of_the_bodies():
    system = cm.System()
    for name in ("left wheel", "crank", "Ω"):
        system.add(cm.Body(name, 1.0, 1.0))
    record = SystemData(system).body_dtype
    assert record.names == ("ground", "left wheel", "crank", "Ω")
    assert all(record[name] == BODY_DTYPE for name in record.names)
    assert BODY_DTYPE.names == PLANAR_BODY.names
    assert record.itemsize == 4 * PLANAR_BODY.size * 8


def test_record_overlays_the_body_table():
    system = cm.System()
    system.add(cm.Body("a", 1.0, 1.0, (1.0, 2.0), 0.3, (4.0, 5.0), 6.0))
    mechanism = ModelEvaluator(system)
    mechanism.rate(0.0, mechanism.tables.y0.copy())
    records = mechanism.tables["bodies"].ravel().view(mechanism.tables.body_dtype)[0]
    assert tuple(records["a"]) == (1.0, 2.0, 0.3, 4.0, 5.0, 6.0, math.cos(0.3), math.sin(0.3))
    assert tuple(records["ground"]) == (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0)


def test_columns_of_the_elements_follow_each_other_without_gaps():
    tables = SystemData(machine())
    ends = [(shown.start, shown.stop) for shown in tables.output.columns]
    assert ends[0][0] == 0
    assert all(before[1] == after[0] for before, after in pairwise(ends))
    assert ends[-1][1] == tables.output.n_columns
    elements = (*tables.joints, *tables.forces)
    names = {element.name: shown.names for element, shown in zip(elements, tables.output.columns, strict=True)}
    assert names["bearing"] == ["angle", "angle_rate", "fx", "fy", "torque"]
    assert names["guide"] == ["displacement", "displacement_rate", "fx", "fy", "torque"]
    assert names["motor"] == ["angle", "angle_rate", "effort", "power", "fx", "fy", "torque"]
    assert names["spring"] == ["length", "rate", "tension"]
    assert names["load"] == ["torque"]


def test_breaks_of_all_motions_are_collected_in_order():
    system = machine()
    system["slider"].angle = 0.0
    other = system.add(cm.Body("other", 1.0, 1.0))
    system.add(cm.Driver((other, "x"), cm.StepMotion(0.1, 0.0, 0.5, 1.0)))
    assert SystemData(system).breaks == [0.1, 0.25, 0.5]


def test_motion_starts_from_the_current_value_of_its_coordinate():
    system = pendulum(0.7, inertia=0.1)
    system.add(cm.Driver(system["pivot"], cm.ConstantSpeed(2.0), name="motor"))
    tables = SystemData(system)
    entry = tables["joints"][1]
    np.testing.assert_allclose(tables["params"][entry["motion_params_offset"] :][:2], [0.7, 2.0], rtol=1e-15)


@pytest.mark.parametrize(
    "motion", [cm.ConstantSpeed(2.0, 0.1), cm.PolynomialMotion([0.5]), cm.SineMotion(0.3, 1.0, 0.2, 0.1)]
)
def test_frozen_motion_keeps_its_value_and_does_not_move(motion):
    system = pendulum(0.7, inertia=0.1)
    system.add(cm.Driver(system["pivot"], motion))
    moving, frozen = ModelEvaluator(system), ModelEvaluator(system)
    frozen.tables.freeze(0.8)
    y = moving.tables.y0.copy()
    wanted = moving.rows(0.8, y)[0]
    for t in (0.0, 0.8, 5.0):
        phi, nu, _ = frozen.rows(t, y)
        np.testing.assert_allclose(phi, wanted, atol=1e-15)
        np.testing.assert_array_equal(nu, 0.0)


def test_contact_points_of_two_boxes_share_what_does_not_depend_on_the_point():
    """All 25 points have one warm start; their gaps are those of points with a warm start each."""
    system = cm.System(dim=3)
    turn = (0.9, 0.2, -0.3, 0.1)
    lower = system.add(cm.Body("lower", 1.0, (1.0, 1.0, 1.0)))
    upper = system.add(cm.Body("upper", 1.0, (1.0, 1.0, 1.0), (0.02, 0.01, 0.19), orientation=turn))
    system.add(cm.Contact(cm.Box(upper, (0.1, 0.1, 0.1)), cm.Box(lower, (0.1, 0.1, 0.1)), impact=cm.ImpactLaw()))
    data = SystemData(system, rigid=True)
    assert len(data.contacts) == 25
    assert len(set(data["contacts"]["warm_start_offset"])) == 1
    stepping.compute_gaps.call(0.0, data.y0, data.model)
    shared = data["gaps"].copy()
    for k in range(25):
        data["warm_start"][:] = 0.0  # no pose is prepared
        stepping.compute_gap.call(k, np.zeros(64), data.model)
    np.testing.assert_array_equal(data["gaps"], shared)
    assert np.sum(shared[:25] < 1.0) >= 3
