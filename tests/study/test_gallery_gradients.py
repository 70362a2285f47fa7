"""Gradients of the cases of the gallery against central differences of runs at tight tolerances."""

import warnings

import numpy as np
import pytest

import carom as cm
from carom.gallery.case import Case
from carom.result.series_paths import series_by_path

TIGHT = {"rtol": 1e-11, "atol": 1e-13}
RIGID = {"method": "nonsmooth", "scheme": "event-driven", **TIGHT}
STEP, ROUGH = 1e-5, 2e-5
"""Relative step of the differences, and their accuracy."""

CASES = {
    "pendulum": (5.0, ["gravity.y", "length", "angle"], ["bob.x", "bob.vy"], TIGHT),
    "double_pendulum": (2.5, ["gravity", "lower rod.mass"], ["lower rod.x", "lower rod.vy"], TIGHT),
    "chain": (1.0, ["gravity.y", "link 10.mass", "link 5.inertia"], ["link 10.x", "link 10.vy"], TIGHT),
    "spring_pendulum": (5.0, ["spring.stiffness", "bob.mass"], ["bob.x", "spring.tension"], TIGHT),
    "slider_crank": (0.04, ["slider.mass", "gravity.y"], ["slider.x", "energy.kinetic"], TIGHT),
    "four_bar": (0.5, ["speed"], ["rocker.angle", "coupler.vx"], TIGHT),
    "parallelogram": (2.0, ["gravity.y", "beam.mass"], ["beam.x", "beam.vy"], TIGHT),
    "n_four_bar": (5.0, ["coupler 2.mass"], ["coupler 2.x", "coupler 2.vy"], TIGHT),
    "two_spheres": (3e-4, ["touch.law.stiffness", "right.mass", "left.velocity.x"], ["right.vx", "left.x"], TIGHT),
    "slider_crank_block": (
        0.08, ["touch.law.stiffness", "touch.law.restitution", "rod.inertia", "crank.angular_velocity",
               "touch.shape_a.radius", "block.position.x"], ["block.vx", "crank.omega"], TIGHT,
    ),
    "knee": (0.2, ["cartilage.law.stiffness", "tibia.mass"], ["tibia.x", "tibia.vy"], TIGHT),
    "falling_ball": (0.9, ["floor.law.stiffness", "ball.mass", "height"], ["ball.y", "ball.vy"], TIGHT),
    "pendulum_wall": (0.9, ["wall.law.stiffness", "bob.mass"], ["bob.x", "bob.vy"], TIGHT),
    "bouncing_ball": (1.5, ["floor.impact.restitution", "ball.position.y"], ["ball.y", "ball.vy"], RIGID),
    "newtons_cradle": (1.0, ["gravity.y"], ["ball 5.x", "ball 5.vy"], RIGID),
    "rocking_block": (1.5, ["gravity.y", "block.mass", "block.inertia"], ["block.angle", "block.omega"], RIGID),
    "stick_slip": (3.0, ["spring.stiffness", "mass.mass"], ["mass.x", "spring.tension"], RIGID),
    "painleve_rod": (0.3, ["rod.mass", "gravity.y"], ["rod.y", "rod.vy"], RIGID),
    "ball_on_swinging_disc": (0.5, ["gravity.z", "touch.law.stiffness"], ["ball.x", "ball.vz"], TIGHT),
    "cam_follower": (0.5, ["spring.stiffness", "follower.mass"], ["spring.tension", "energy.kinetic"], TIGHT),
    "spinning_top": (0.5, ["top.mass", "gravity.z"], ["top.x", "top.vy"], TIGHT),
    "ball_on_incline": (0.3, ["gravity.z"], ["ball.x", "ball.vx"], RIGID),
    "condyles": (0.05, ["touch.law.stiffness", "femur.mass"], ["femur.x", "femur.vz"], TIGHT),
    "dzhanibekov": (5.0, ["disturbance"], ["energy.kinetic", "nut.wz"], TIGHT),
    "drop_test": (0.18, ["plate.law.stiffness", "height"], ["ball.y", "ball.vy"], TIGHT),
    "bumper": (0.15, ["trolley.mass", "bumper.law.stiffness"], ["trolley.x", "trolley.vx"], TIGHT),
}  # fmt: skip
"""End time [s], parameters, outputs and run options by case."""


def values_at_end(case: str, values: dict, outputs: list[str]) -> np.ndarray:
    result = cm.study.as_study_model(case).run(values, progress=False)
    return np.array([series_by_path(result, name)[-1] for name in outputs])


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES)
def test_against_central_differences(case):
    t_end, parameters, outputs, options = CASES[case]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        g = cm.gradient(case, t_end, parameters=parameters, outputs=outputs, **options)
        assert g.not_differentiable_at == {}
        for column, (name, value) in enumerate(zip(parameters, g.parameter_values, strict=True)):
            step = STEP * (abs(value) or 1.0)
            high, low = (
                values_at_end(case, {**options, "t_end": t_end, name: value + side * step}, outputs) for side in (1, -1)
            )
            expected = (high - low) / (2 * step)
            rounding = 1e-10 * np.maximum(np.abs(g.values), 1e-3) / step
            assert np.all(np.abs(g.jacobian[:, column] - expected) < ROUGH * np.abs(expected) + rounding), name
            assert np.any(np.abs(expected) > 10.0 * rounding), name


def test_names_are_those_of_cases():
    assert set(CASES) <= set(cm.gallery.CASES)
    assert all(isinstance(cm.gallery.CASES[name](), Case) for name in ("two_spheres", "falling_ball"))
