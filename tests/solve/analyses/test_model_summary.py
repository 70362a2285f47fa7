"""Summary of a system: counts, degrees of freedom, and what looks wrong."""

import pytest

import carom as cm
from carom.solve.analyses.model_summary import model_summary


def ball(height=1.0):
    system = cm.System(gravity=(0.0, -9.81), name="ball")
    body = system.add(cm.Body("ball", 1.0, 0.1, position=(0.0, height)))
    contact = cm.Contact(cm.Sphere(body, 0.1), cm.Plane(system.ground), cm.laws.Hertz(1e6), name="floor")
    system.add(contact)
    return system


def test_a_sound_system_has_no_warnings():
    case = cm.gallery.four_bar()
    summary = model_summary(case.system)
    assert summary.warnings == ()
    # 3 bodies with 3 velocities each; four pins of two equations each; a driver.
    assert summary.facts["degrees of freedom"] == "0 (9 velocities, 9 constraint equations)"
    assert summary.facts["joints"] == "5, of which 1 drivers"


def test_text_lists_bodies_elements_and_laws():
    text = ball().summary()
    assert text.splitlines()[0] == "ball"
    assert "3 (3 velocities, no constraints)" in text
    assert "Hertz(K=1e6, n=1.5)" in text
    assert "floor  Contact  ball – ground" in text
    assert "warning" not in text


def test_text_lists_inputs_outputs_sensors_and_controllers():
    system = ball()
    body = system["ball"]
    system.add(cm.Input("push", unit="N", value=2.0))
    system.add(cm.Output("height", lambda s: s["ball"].y, unit="m"))
    system.add(cm.Gyroscope(body, noise=0.1, rate=50.0, name="gyro"))
    system.add(cm.PID("height", "push", 1.0, kp=2.0, period=0.01, name="hover"))
    lines = [" ".join(line.split()) for line in system.summary().splitlines()]
    assert "push Input N 2, zero-order" in lines
    assert "height Output m" in lines
    assert "gyro Gyroscope omega ball, 50 Hz, noise 0.1" in lines
    assert "hover PID – every 0.01 s, sets push" in lines


def test_an_overlap_is_named_with_its_depth():
    assert model_summary(ball(0.08)).warnings == ("Contact 'floor': the shapes overlap by 0.02 m",)
    assert model_summary(ball(0.1)).warnings == ()


def test_open_joints_are_named():
    system = cm.System()
    rod = system.add(cm.Body("rod", 1.0, 0.1, position=(0.5, 0.0)))
    system.add(cm.Revolute(system.ground, rod, at=(0.0, 0.0), name="hinge"))
    rod.position = (0.6, 0.0)
    assert any(
        "'hinge' are open by up to 0.1; call system.assemble()" in text for text in model_summary(system).warnings
    )
    system.assemble()
    assert model_summary(system).warnings == ()


def test_redundant_constraints_are_named():
    warnings = model_summary(cm.gallery.parallelogram().system).warnings
    assert any("redundant" in text for text in warnings)


def test_suspicious_units_are_named():
    system = cm.System(gravity=(0.0, -9810.0))
    system.add(cm.Body("ball", 1.0, 0.1))
    assert any("gravity is 9810" in text for text in model_summary(system).warnings)


def test_long_tables_end_with_a_count():
    text = cm.gallery.chain(links=30).system.summary()
    assert "… and 10 more" in text


@pytest.mark.parametrize("name", ["box_of_spheres", "slider_crank_block", "spinning_top"])
def test_gallery_systems_have_a_summary(name):
    system = getattr(cm.gallery, name)(**({"balls": 400} if name == "box_of_spheres" else {})).system
    assert f"bodies              {len(system.bodies)}" in system.summary()
