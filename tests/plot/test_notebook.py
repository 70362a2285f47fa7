"""Objects in a notebook: a table, a picture, and one line as text; names are escaped."""

import re

import pytest

import carom as cm
from carom.plot.notebook import figure_html


@pytest.fixture(scope="module")
def crank():
    return cm.gallery.slider_crank_block()


@pytest.fixture(scope="module")
def run(crank):
    return crank.run()


def cells(html):
    return re.findall(r"<td[^>]*>(.*?)</td>", html)


def test_impacts_are_a_table_and_a_picture(run):
    html = run.impacts._repr_html_()
    assert html.count("<tr") == 1 + len(run.impacts)
    assert html.count("data:image/png;base64,") == 1
    assert "touch" in cells(html)
    assert "<img" not in cm.gallery.pendulum().run(t_end=0.1).impacts._repr_html_()


def test_energy_is_a_table_and_a_picture(run):
    html = run.energy._repr_html_()
    assert "friction" in cells(html)
    assert f"{run.energy.kinetic[0]:.6g}" in cells(html)
    assert "data:image/png;base64," in html
    assert "<img" not in cm.result.Energy.from_columns(run.energy.columns())._repr_html_()  # no times


def test_a_system_is_a_summary_and_a_picture(crank):
    html = crank.system._repr_html_()
    assert "2 (12 velocities, 10 constraint equations)" in html
    assert {"crank", "touch", "wrist pin"} <= set(cells(html))
    assert "data:image/png;base64," in html
    assert "<img" not in cm.System()._repr_html_()


def test_studies_are_a_table_and_a_picture():
    sweep = cm.sweep("falling_ball", {"height": [0.5, 1.0]}, "impacts.count", executor="serial")
    assert sweep._repr_html_().count("<tr") == 3
    comparison = cm.compare("falling_ball", restitution=[0.5, 0.9])
    assert {"restitution = 0.5", "restitution = 0.9"} <= set(cells(comparison._repr_html_()))
    for item in (sweep, comparison):
        assert "data:image/png;base64," in item._repr_html_()


def test_a_gradient_is_a_table():
    gradient = cm.gradient("falling_ball", parameters=["height"], outputs=["impacts[0].approach_speed", "ball.vy"])
    assert repr(gradient) == "<Gradient of impacts[0].approach_speed, ball.vy with respect to height>"
    html = gradient._repr_html_()
    assert html.count("<tr") == 3
    assert f"{gradient['ball.vy', 'height']:.6g}" in cells(html)


def test_names_are_escaped():
    system = cm.System(name="<script>")
    system.add(cm.Body("<b>", 1.0, 1.0))
    for html in (system._repr_html_(), cm.simulate(system, 0.1)._repr_html_()):
        assert "<script>alert" not in html
        assert "<td><b></td>" not in html


def test_a_figure_is_an_image_that_contains_its_data(run):
    assert figure_html(run.plot("block.vx")).startswith('<img alt="figure" src="data:image/png;base64,iVBOR')


def test_every_representation_is_one_line(crank, run):
    floor = cm.gallery.bouncing_ball().system
    items = [crank, crank.system, run, run.impacts, run.impacts[0], run.energy, run["block"], run["touch"],
             *crank.system.bodies, *crank.system.joints, *crank.system.contacts, *floor.contacts,
             *floor.contacts[0].shapes, floor.contacts[0].law, run.impacts.of("nothing")]  # fmt: skip
    for item in items:
        assert "\n" not in repr(item)
        assert 5 < len(repr(item)) < 250


def test_objects_with_arrays_are_one_line(crank, run):
    scene = cm.view.describe(run, frames=3)
    rest = cm.gallery.spring_pendulum().system
    items = {
        "<Scene: name='slider-crank and block', dim=2, 4 bodies": scene,
        "<Part: body=-1, vertices (": scene.parts[0],
        "<DrawingData: dim=2, gravity=(0, -9.81)": run.sketch,
        "<ClosestPoints: gap=0.42114, normal=(-1, 0)": cm.closest(*crank.system.contacts[0].shapes),
        "<Advice: mass=0.263, speed=2.3": cm.laws.advise(mass=0.263, speed=2.3, radii=0.02, restitution=0.5),
        "<Linearization: 1 bodies, stiffness (3, 3)": cm.linearize(rest.set_state(cm.statics(rest))),
    }
    for start, item in items.items():
        assert repr(item).startswith(start)
        assert "\n" not in repr(item)


def test_a_contact_names_its_shapes_and_laws():
    system = cm.System()
    ball = system.add(cm.Body("ball", 1.0, position=(0.0, 1.0)))
    law = cm.laws.Flores(stiffness=1e9, restitution=0.6)
    contact = cm.Contact(cm.Sphere(ball, 0.1), cm.Plane(system.ground), law, cm.friction.Threlfall(0.2, 1e-3))
    laws = "Flores(K=1e9, e=0.6, n=1.5), Threlfall(μ=0.2, v0=0.001)"
    assert repr(contact) == f"<Contact: Sphere(ball) – Plane(ground), {laws}>"
    system.add(contact)
    assert repr(contact).startswith("<Contact 'contact ball-ground': Sphere(ball)")
