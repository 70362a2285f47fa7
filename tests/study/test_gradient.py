"""Gradients of runs against closed forms: flights, impacts of all kinds, lasting contact, driven joints."""

import warnings

import mpmath
import numpy as np
import pytest

import carom as cm
from carom.result.series_paths import series_by_path

TIGHT = {"rtol": 1e-11, "atol": 1e-13}
BALL = {"stiffness": 1e6, "mass": 0.17, "height": 0.2, "speed": 0.3, "gravity": -9.81, "radius": 0.0286}
BALL_PATHS = {
    "stiffness": "touch.law.stiffness", "mass": "ball.mass", "height": "ball.position.y", "speed": "ball.velocity.y",
    "gravity": "gravity.y", "radius": "touch.shape_a.radius",
}  # fmt: skip


def ball(restitution: float = 0.8) -> cm.System:
    system = cm.System(gravity=(0.0, BALL["gravity"]))
    body = system.add(
        cm.Body("ball", BALL["mass"], 5.6e-5, position=(0.0, BALL["height"]), velocity=(0.5, BALL["speed"]))
    )
    system.add(
        cm.Contact(
            cm.Sphere(body, BALL["radius"]), cm.Plane(system.ground), law=cm.laws.Linear(BALL["stiffness"]),
            impact=cm.ImpactLaw(restitution), name="touch",
        )
    )  # fmt: skip
    return system


def bounce(t_end: float, stiffness=0, mass=1, height=0, speed=0, gravity=0, radius=0, restitution=None):
    """Height and speed of a ball at ``t_end``; on a linear spring, or rigid with a ``restitution``."""
    height, radius, v, g = mpmath.mpf(height), mpmath.mpf(radius), mpmath.mpf(speed), mpmath.mpf(gravity)
    gap, t = height - radius, mpmath.mpf(0)
    while True:
        flight = -(v + mpmath.sqrt(v * v - 2 * g * gap)) / g
        if t + flight >= t_end:
            left = t_end - t
            return radius + gap + v * left + g * left**2 / 2, v + g * left
        t, v, gap = t + flight, v + g * flight, mpmath.mpf(0)
        if restitution is not None:
            v = -restitution * v
            continue
        # m ẍ = m g − k x from x = 0: x = A sin ωt + B (1 − cos ωt), which is zero again at tan(ωt/2) = −A/B
        omega = mpmath.sqrt(stiffness / mpmath.mpf(mass))
        a, b = v / omega, g / omega**2
        angle = 2 * (mpmath.pi - mpmath.atan(a / b))
        v, t = omega * (a * mpmath.cos(angle) + b * mpmath.sin(angle)), t + angle / omega


def derivative(function, values: dict, name: str) -> float:
    with mpmath.workdps(40):
        return float(mpmath.diff(lambda x: function(**{**values, name: x}), mpmath.mpf(values[name])))


def test_ball_on_a_spring_through_five_impacts():
    names, t_end = list(BALL), 2.0
    g = cm.gradient(
        ball(), t_end, parameters=[BALL_PATHS[name] for name in names], outputs=["ball.y", "ball.vy"], **TIGHT
    )
    assert len(g.result.impacts) == 5
    for column, name in enumerate(names):
        for row in range(2):
            exact = derivative(lambda row=row, **p: bounce(t_end, **p)[row], BALL, name)
            assert g.jacobian[row, column] == pytest.approx(exact, rel=1e-8), (name, row)
    assert np.allclose(g.values, [float(x) for x in bounce(t_end, **BALL)], rtol=1e-9)


def test_rigid_ball_through_five_impacts():
    values = {name: BALL[name] for name in ("height", "speed", "gravity", "radius")} | {"restitution": 0.8}
    paths = {**BALL_PATHS, "restitution": "touch.impact.restitution"}
    t_end = 1.2
    g = cm.gradient(
        ball(), t_end, parameters=[paths[name] for name in values], outputs=["ball.y", "ball.vy"],
        method="nonsmooth", scheme="event-driven", **TIGHT,
    )  # fmt: skip
    assert len(g.result.impacts) == 5
    for column, name in enumerate(values):
        for row in range(2):
            exact = derivative(lambda row=row, **p: bounce(t_end, **p)[row], values, name)
            assert g.jacobian[row, column] == pytest.approx(exact, rel=1e-8), (name, row)


def spheres(law) -> cm.System:
    system = cm.System()
    left = system.add(cm.Body("left", 0.2, 1e-5, position=(-0.03, 0.0), velocity=(1.5, 0.0)))
    right = system.add(cm.Body("right", 0.3, 1e-5, position=(0.03, 0.0)))
    system.add(cm.Contact(cm.Sphere(left, 0.02), cm.Sphere(right, 0.02), law=law, name="touch"))
    return system


def test_impact_of_two_hertzian_spheres():
    values = {"stiffness": 1e9, "mass": 0.2, "speed": 1.5}
    paths = ["touch.law.stiffness", "left.mass", "left.velocity.x"]

    def impact(stiffness, mass, speed):  # δ_max = (5 m v²/(4 K))^(2/5), T = 2 B(2/5, 1/2)/(5/2) δ_max/v
        reduced = mass * mpmath.mpf("0.3") / (mass + mpmath.mpf("0.3"))
        depth = (5 * reduced * speed**2 / (4 * stiffness)) ** (mpmath.mpf(2) / 5)
        duration = mpmath.mpf(4) / 5 * mpmath.beta(mpmath.mpf(2) / 5, mpmath.mpf(1) / 2) * depth / speed
        return depth, stiffness * depth ** mpmath.mpf("1.5"), duration, 2 * mass * speed / (mass + mpmath.mpf("0.3"))

    outputs = ["touch.indentation.max", "touch.normal_force.max", "impacts[0].duration", "right.vx"]
    g = cm.gradient(spheres(cm.laws.Hertz(1e9)), 0.05, parameters=paths, outputs=outputs, **TIGHT)
    for column, name in enumerate(values):
        for row in range(4):
            exact = derivative(lambda row=row, **p: impact(**p)[row], values, name)
            error = abs(g.jacobian[row, column] - exact) * values[name] / g.values[row]
            assert error < 1e-8, (name, outputs[row])


def test_restitution_of_two_spheres():
    law = cm.laws.ExactRestitution(1e9, 0.7)
    g = cm.gradient(
        spheres(law), 0.05, parameters=["touch.law.restitution"], outputs=["right.vx", "energy.kinetic"], **TIGHT
    )
    assert g.jacobian[0, 0] == pytest.approx(0.2 * 1.5 / 0.5, rel=1e-8)  # v₂ = (1 + ε) m₁ v/(m₁ + m₂)
    assert g.jacobian[1, 0] == pytest.approx(0.12 * 1.5**2 * 0.7, rel=1e-8)  # E = … + ½ μ ε² v²


PENDULUM = {"gravity": -9.81, "mass": 1.2, "inertia": 0.02, "restitution": 0.6}
PENDULUM_PATHS = ["gravity.y", "bob.mass", "bob.inertia", "wall.impact.restitution"]


def pendulum() -> cm.System:
    """A compound pendulum that is released from the horizontal and hits a wall at its lowest point."""
    system = cm.System(gravity=(0.0, PENDULUM["gravity"]))
    bob = system.add(cm.Body("bob", PENDULUM["mass"], PENDULUM["inertia"], position=(-0.5, 0.0), angle=-np.pi / 2))
    system.add(cm.Revolute(system.ground, bob, at=(0.0, 0.0)))
    wall = cm.Plane(system.ground, at=(0.05, 0.0), normal=(-1.0, 0.0))
    impact = cm.ImpactLaw(PENDULUM["restitution"])
    law = cm.laws.Linear(1e9)
    system.add(cm.Contact(cm.Sphere(bob, 0.05), wall, law=law, impact=impact, name="wall"))
    return system


def swing(t_end: float, gravity, mass, inertia, restitution):
    """Time of the impact, and angle and angular velocity at ``t_end``, by Jacobi's elliptic functions."""
    arm = mpmath.mpf("0.5")
    omega = mpmath.sqrt(-mass * gravity * arm / (inertia + mass * arm**2))
    k0 = mpmath.sqrt(mpmath.mpf("0.5"))  # sin of half the first amplitude of 90°
    t_impact = mpmath.ellipk(k0**2) / omega
    k = restitution * k0
    u = omega * (t_end - t_impact)
    sn, dn_cn = mpmath.ellipfun("sn", u, m=k**2), mpmath.ellipfun("cn", u, m=k**2)
    return t_impact, -2 * mpmath.asin(k * sn), -2 * k * omega * dn_cn


def test_pendulum_at_a_wall():
    t_end = 1.0
    outputs = ["impacts[0].t_start", "bob.angle", "bob.omega"]
    g = cm.gradient(
        pendulum(),
        t_end,
        parameters=PENDULUM_PATHS,
        outputs=outputs,
        method="nonsmooth",
        scheme="event-driven",
        **TIGHT,
    )
    for column, name in enumerate(PENDULUM):
        for row in range(3):
            exact = derivative(lambda row=row, **p: swing(t_end, **p)[row], PENDULUM, name)
            assert g.jacobian[row, column] == pytest.approx(exact, rel=1e-8, abs=1e-10), (name, outputs[row])


def test_pendulum_at_an_elastic_wall():
    names = ["gravity", "mass", "inertia"]
    g = cm.gradient(
        pendulum(), 0.6, parameters=PENDULUM_PATHS[:3], outputs=["impacts[0].t_start", "impacts[0].approach_speed"],
        **TIGHT,
    )  # fmt: skip
    for column, name in enumerate(names):
        exact = derivative(lambda **p: swing(0.6, **p)[0], PENDULUM, name)
        assert g.jacobian[0, column] == pytest.approx(exact, rel=1e-8)
        exact = derivative(  # v = l √(2 m g l/(I + m l²))
            lambda gravity, mass, inertia, restitution: mpmath.sqrt(-mass * gravity / (inertia + mass / 4)) / 2,
            PENDULUM, name,
        )  # fmt: skip
        assert g.jacobian[1, column] == pytest.approx(exact, rel=1e-8)


def test_resting_ball_sags_by_its_weight():
    system = cm.System(gravity=(0.0, -9.81))
    sag = 2.0 * 9.81 / 1e6
    body = system.add(cm.Body("ball", 2.0, 1e-3, position=(0.0, 0.05 - sag)))
    law = cm.laws.HuntCrossley(1e6, 0.8, exponent=1.0)
    system.add(cm.Contact(cm.Sphere(body, 0.05), cm.Plane(system.ground), law=law, name="floor"))
    g = cm.gradient(
        system, 2.0, parameters=["floor.law.stiffness", "ball.mass", "floor.shape_a.radius"],
        outputs=["ball.y", "floor.normal_force"],
    )  # fmt: skip
    assert g.result.stats["implicit_steps"] > 0
    expected = [[sag / 1e6, -9.81 / 1e6, 1.0], [0.0, 9.81, 0.0]]
    size = np.array([[sag], [19.62]]) / np.array([1e6, 2.0, 0.05])
    assert np.all(np.abs(g.jacobian - np.array(expected)) < 1e-6 * size)


def test_driven_slider_crank():
    def crank(radius: float = 0.1, speed: float = 20.0) -> cm.System:
        system = cm.System()
        wheel = system.add(cm.Body("crank", 0.1, 1e-3, position=(radius, 0.0), angular_velocity=speed))
        rod = system.add(cm.Body("rod", 0.1, 1e-3, position=(radius + 0.15, 0.0)))
        slider = system.add(cm.Body("slider", 0.1, 1e-3, position=(radius + 0.3, 0.0)))
        system.add(cm.Revolute(system.ground, wheel, at=(0.0, 0.0), name="bearing"))
        system.add(cm.Revolute(wheel, rod, at=(radius, 0.0)))
        system.add(cm.Revolute(rod, slider, at=(radius + 0.3, 0.0)))
        system.add(cm.Prismatic(system.ground, slider, axis=(1.0, 0.0)))
        system.add(cm.Driver(system["bearing"], cm.ConstantSpeed(speed), name="motor"))
        system.assemble()
        return system

    t_end, values = 0.07, {"radius": 0.1, "speed": 20.0}

    def position(radius, speed):
        angle = speed * t_end
        return radius * mpmath.cos(angle) + mpmath.sqrt(mpmath.mpf("0.09") - (radius * mpmath.sin(angle)) ** 2)

    g = cm.gradient(crank(), t_end, parameters=["motor.motion.speed"], outputs=["slider.x"], **TIGHT)
    assert g.jacobian[0, 0] == pytest.approx(derivative(position, values, "speed"), rel=1e-9)
    g = cm.gradient(crank, t_end, parameters=["radius", "speed"], outputs=["slider.x"], **TIGHT)
    assert g.jacobian[0] == pytest.approx([derivative(position, values, name) for name in values], rel=1e-9)


def pushed(push: float | object = 3.0) -> cm.System:
    """A cart on a spring, pushed by half an input: v = u/2 sin(ω t)/(m ω), ω² = k/m."""
    system = cm.System(name="cart")
    cart = system.add(cm.Body("cart", 2.0, 1.0))
    force = system.add(cm.Input("push", unit="N", value=push))
    system.add(cm.Prismatic(system.ground, cart, axis=(1.0, 0.0)))
    system.add(cm.PointForce(cart, (0.5 * force, 0.0)))
    system.add(cm.SpringDamper(cm.Marker(system.ground, (-5.0, 0.0)), cart, stiffness=8.0, free_length=5.0))
    return system


@pytest.mark.parametrize("name", ["push", "push.value"])
def test_inputs(name):
    slope = 0.5 * np.sin(2.0 * 1.5) / (2.0 * 2.0)
    g = cm.gradient(pushed(), 1.5, parameters=[name], outputs=["cart.vx"], **TIGHT)
    assert g.values[0] == pytest.approx(3.0 * slope, rel=1e-9)
    assert g.jacobian[0, 0] == pytest.approx(slope, rel=1e-9)
    result = cm.simulate(pushed(), 1.5, sensitivities=[name], **TIGHT)
    assert result.sensitivity["cart.vx", name][-1] == pytest.approx(slope, rel=1e-9)
    runs = cm.ensemble(pushed(), {name: [1.0, 2.0]}, "cart.vx.final", t_end=1.5, threads=1)
    assert runs["cart.vx.final"] == pytest.approx([slope, 2.0 * slope], rel=1e-7)


def test_an_input_that_follows_a_function_is_no_parameter():
    with pytest.raises(cm.ModelError, match="push: must be a number"):
        cm.gradient(pushed(lambda t: t), 1.0, parameters=["push"], outputs=["cart.vx"])


def test_magnitude_of_gravity(tmp_path):
    """v = √(2 g h), dv/dg = v/(2 g), against the sign of the component."""
    system = ball()
    g = cm.gradient(system, 0.3, parameters=["gravity", "gravity.y"], outputs=["impacts[0].approach_speed"], **TIGHT)
    v0, h = BALL["speed"], BALL["height"] - BALL["radius"]
    slope = h / np.sqrt(v0**2 + 2 * 9.81 * h)
    assert g.jacobian[0] == pytest.approx([slope, -slope], rel=1e-9)
    file = tmp_path / "ball.yaml"
    system.to_yaml(file)
    for model in (system, file):
        runs = cm.ensemble(model, {"gravity": [9.0, (0.0, -8.0)]}, "impacts.approach_speed.first", t_end=0.5, threads=1)
        expected = np.sqrt(v0**2 + 2 * np.array([9.0, 8.0]) * h)
        assert runs["impacts.approach_speed.first"] == pytest.approx(expected, rel=1e-7)
    weightless = cm.System()
    weightless.add(cm.Body("ball", 1.0, 1.0))
    with pytest.raises(cm.ModelError, match=r"choose a component, such as gravity\.y"):
        cm.gradient(weightless, 0.3, parameters=["gravity"], outputs=["ball.vy"])


def test_time_stepping_keeps_its_active_set():
    system = cm.System(gravity=(0.0, -9.81))
    body = system.add(cm.Body("block", 2.0, 0.01, position=(0.0, 0.05), velocity=(3.0, 0.0)))
    for x in (-0.05, 0.05):
        shape = cm.Point(body, at=(x, -0.05))
        system.add(cm.Contact(shape, cm.Plane(system.ground), impact=cm.ImpactLaw(0.0, 0.3), name=f"corner {x}"))
    run = {"parameters": ["corner -0.05.impact.friction", "block.velocity.x"], "outputs": ["block.vx", "block.x"]}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        g = cm.gradient(system, 0.5, method="nonsmooth", step=1e-3, **run)
    # Sliding: v = v₀ − (μ₁ N₁ + μ₂ N₂) t/m, where the friction tips the load to the leading corner.
    assert g["block.vx", "block.velocity.x"] == pytest.approx(1.0, rel=1e-9)
    assert g["block.x", "block.velocity.x"] == pytest.approx(0.5, rel=1e-9)

    def speed(left, right=0.3):  # N₁ + N₂ = m g, (N₂ − N₁) 0.05 = (μ₁ N₁ + μ₂ N₂) 0.05
        share = (1 - right) / (2 + left - right)  # N₁/(m g)
        return 3 - 9.81 * 0.5 * (left * share + right * (1 - share))

    assert g.jacobian[0, 0] == pytest.approx(derivative(speed, {"left": 0.3}, "left"), rel=1e-8)


def test_sensitivity_over_time():
    t_end = 0.9
    result = cm.simulate(
        ball(), t_end, sensitivities=["ball.position.y", "touch.law.stiffness"], max_step=0.02, **TIGHT
    )
    assert len(result.impacts) == 2
    assert repr(result.sensitivity).startswith("<Sensitivities with respect to ")
    slopes = result.sensitivity["ball.vy", "ball.position.y"]
    for place in np.searchsorted(result.t, [0.1, 0.4, 0.9]):
        exact = derivative(lambda place=place, **p: bounce(result.t[place], **p)[1], BALL, "height")
        assert slopes[place] == pytest.approx(exact, rel=1e-7, abs=1e-9)
    with pytest.raises(cm.ModelError, match="did you mean touch"):
        result.sensitivity["ball.vy", "touch.law.stifness"]


def test_outputs_of_all_kinds():
    outputs = ["ball.y.max", "ball.vy.max", "ball.x.mean", "ball.y.integral", "impacts.peak_force.max", "ball.vy.first"]
    g = cm.gradient(ball(), 0.5, parameters=["ball.velocity.y", "ball.velocity.x"], outputs=outputs, **TIGHT)
    v, gravity, h = BALL["speed"], 9.81, BALL["height"] - BALL["radius"]
    assert g.values[0] == pytest.approx(BALL["height"] + v**2 / (2 * gravity), rel=1e-10)
    assert g["ball.y.max", "ball.velocity.y"] == pytest.approx(v / gravity, rel=1e-8)
    # on the spring m v²/2 + k x²/2 − m g x is constant: v is largest where k x = m g
    weight = BALL["mass"] * gravity
    top = (v**2 + 2 * gravity * h + weight**2 / (BALL["mass"] * BALL["stiffness"])) ** 0.5
    assert g["ball.vy.max", "ball.velocity.y"] == pytest.approx(v / top, rel=1e-6)
    depth = weight / BALL["stiffness"] + (BALL["mass"] / BALL["stiffness"]) ** 0.5 * top
    slope = (BALL["mass"] / BALL["stiffness"]) ** 0.5 * v / top * BALL["stiffness"]
    assert g["impacts.peak_force.max", "ball.velocity.y"] == pytest.approx(slope, rel=1e-8)
    assert g.values[4] == pytest.approx(BALL["stiffness"] * depth, rel=1e-9)
    assert g["ball.x.mean", "ball.velocity.x"] == pytest.approx(0.25, rel=1e-12)
    step = 1e-5
    areas = [cm.gradient(ball_at(v + side * step), 0.5, parameters=["gravity.y"], outputs=["ball.y.integral"], **TIGHT)
             .values[0] for side in (1, -1)]  # fmt: skip
    assert g["ball.y.integral", "ball.velocity.y"] == pytest.approx((areas[0] - areas[1]) / (2 * step), rel=1e-6)
    assert g["ball.vy.first", "ball.velocity.y"] == pytest.approx(1.0, rel=1e-10)


def ball_at(speed: float) -> cm.System:
    system = ball()
    system["ball"].velocity = (0.5, speed)
    return system


def test_restitution_at_its_bound():
    """At ε = 1 only smaller values exist: d v₂/dε = m₁ v/(m₁ + m₂) from one side."""
    g = cm.gradient(
        spheres(cm.laws.ExactRestitution(1e9, 1.0)), 0.05, parameters=["touch.law.restitution"], outputs=["right.vx"],
        **TIGHT,
    )  # fmt: skip
    assert g.jacobian[0, 0] == pytest.approx(0.6, rel=1e-6)


def test_jacobian_as_table():
    g = cm.gradient(ball(), 0.3, parameters=["ball.mass", "gravity.y"], outputs=["ball.vy", "ball.y"])
    frame = g.to_dataframe()
    assert frame.loc["ball.vy", "gravity.y"] == g["ball.vy", "gravity.y"]
    assert list(frame.columns) == ["ball.mass", "gravity.y"]
    assert frame.index.name == "output"
    assert g.relative[0, 1] == pytest.approx(g.jacobian[0, 1] * -9.81 / g.values[0])
    assert "gravity.y" in str(g)


@pytest.mark.parametrize(
    ("parameters", "outputs", "text"),
    [
        (["touch.law.stifness"], ["ball.vy"], "did you mean stiffness"),
        (["bal.mass"], ["ball.vy"], "did you mean ball"),
        (["touch.law"], ["ball.vy"], "must be a number"),
        (["ball.mass"], ["impacts.count"], "a count is constant"),
        (["ball.mass"], ["ball.vyy"], "choose from x, y, angle, vx"),
        (["ball.mass"], ["impacts[9].duration"], "has 1 impacts"),
        (["ball.mass"], ["impacts[0].impulse"], "undefined"),
        (["ball.mass"], ["touch.normal_force.time_of_max"], "ask for an impact"),
        (["ball.mass", "ball.mass"], ["ball.vy"], "ball.mass twice"),
        ([], ["ball.vy"], "list of names"),
    ],
)
def test_unknown_names_are_refused(parameters, outputs, text):
    with pytest.raises(cm.ModelError, match=text):
        cm.gradient(ball(), 0.3, parameters=parameters, outputs=outputs)


def test_methods_without_derivatives_are_refused():
    for options, text in (
        ({"integrator": "adams"}, "hides its steps"),
        ({"onset": "none", "integrator": "dopri5"}, "onset='event'"),
        ({"method": "nonsmooth", "adaptive": True}, "adaptive"),
    ):
        with pytest.raises(cm.ModelError, match=text):
            cm.gradient(ball(), 0.3, parameters=["ball.mass"], outputs=["ball.vy"], **options)


def test_simultaneous_rigid_impacts_are_not_differentiable():
    system = cm.System(gravity=(0.0, -9.81))
    body = system.add(cm.Body("bar", 1.0, 0.02, position=(0.0, 0.1)))
    for x in (-0.2, 0.2):
        point = cm.Point(body, at=(x, 0.0))
        system.add(cm.Contact(point, cm.Plane(system.ground), impact=cm.ImpactLaw(0.5), name=f"end {x}"))
    with pytest.warns(cm.CaromWarning, match="not differentiable"):
        g = cm.gradient(
            system, 0.2, parameters=["bar.angular_velocity", "gravity.y"], outputs=["bar.vy"], method="nonsmooth",
            scheme="event-driven",
        )  # fmt: skip
    assert set(g.not_differentiable_at) == {"bar.angular_velocity"}
    assert np.isnan(g.jacobian[0, 0])
    assert np.isfinite(g.jacobian[0, 1])


def test_time_stepping_warns_of_impacts():
    with pytest.warns(cm.CaromWarning, match="times of impacts"):
        cm.gradient(ball(), 0.3, parameters=["gravity.y"], outputs=["ball.vy"], method="nonsmooth", step=1e-3)


def test_chaotic_motion_warns():
    with pytest.warns(cm.CaromWarning, match="chaotic"):
        cm.gradient(
            "double_pendulum", 20.0, parameters=["gravity.y"], outputs=["lower rod.x"], rtol=1e-6, angles=(2.5, 2.5)
        )


def final_values(case, t_end: float, outputs: list[str], values: dict) -> np.ndarray:
    result = cm.study.as_study_model(case).run({**values, "t_end": t_end, "rtol": 1e-11, "atol": 1e-13}, progress=False)
    return np.array([series_by_path(result, name)[-1] for name in outputs])


GALLERY = [
    ("slider_crank_block", 0.08, "block.mass", ["block.vx", "energy.kinetic"]),
    ("slider_crank_block", 0.08, "touch.law.restitution", ["block.vx", "slider.x"]),
    ("pendulum_wall", 0.9, "bob.mass", ["bob.x", "bob.vy"]),
    ("double_pendulum", 0.5, "lower rod.mass", ["lower rod.x", "lower rod.vy"]),
    ("spring_pendulum", 1.0, "stiffness", ["bob.x", "energy.kinetic"]),
    ("spinning_top", 0.5, "top.mass", ["top.x", "energy.kinetic"]),
    ("parallelogram", 0.5, "beam_mass", ["beam.x", "beam.vy"]),
    ("falling_ball", 0.6, "floor.law.stiffness", ["ball.vy"]),
    ("four_bar", 0.5, "speed", ["rocker.angle", "coupler.vx"]),
]


@pytest.mark.parametrize(("case", "t_end", "name", "outputs"), GALLERY)
def test_gallery_cases_against_central_differences(case, t_end, name, outputs):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        g = cm.gradient(case, t_end, parameters=[name], outputs=outputs, **TIGHT)
        value = g.parameter_values[0]
        step = 1e-4 * value
        high, low = (final_values(case, t_end, outputs, {name: value + side * step}) for side in (1, -1))
    expected = (high - low) / (2 * step)
    assert np.abs(expected).max() > 0.0
    assert g.jacobian[:, 0] == pytest.approx(expected, rel=2e-5, abs=1e-7 * np.abs(g.values / value).max())
