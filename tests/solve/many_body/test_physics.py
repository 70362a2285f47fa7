"""Motion of few bodies by the many-body engine, against theory and other integrators."""

from __future__ import annotations

import math

import numpy as np
import pytest

import carom as cm
from carom.compiled_model.many_body_data import ManyBodyData
from carom.geometry.rotation import matrix_of
from carom.model.contact_group import ContactGroup
from carom.solve.many_body.verlet_engine import VerletEngine
from quick import each
from solve.many_body.systems import GRAVITY, INERTIA, MASS, RADIUS, STIFFNESS, add_group, add_sphere, box_of_spheres

LAWS = {
    "hertz": cm.laws.Hertz(STIFFNESS),
    "hunt_crossley": cm.laws.HuntCrossley(STIFFNESS, 0.7),
    "flores": cm.laws.Flores(STIFFNESS, 0.5),
    "kelvin_voigt": cm.laws.KelvinVoigt(1e5, restitution=0.8, mass=0.5 * MASS),
    "plastic": cm.laws.PlasticUnloading(STIFFNESS, 0.6),
}
SPEED = 1.0
DURATION = {name: law.impact(0.5 * MASS, SPEED).duration for name, law in LAWS.items()}


def two_spheres(law, grouping: bool = True) -> cm.System:
    """Return two spheres that approach each other along x."""
    system = cm.System(dim=3)
    gap = 1e-4
    one = add_sphere(system, "one", (0.0, 0.0, 0.0), (0.5 * SPEED, 0.0, 0.0))
    two = add_sphere(system, "two", (2.0 * RADIUS + gap, 0.0, 0.0), (-0.5 * SPEED, 0.0, 0.0))
    if grouping:
        add_group(system, [one, two], law=law)
    else:
        system.add(cm.Contact(one, two, law, name="touch"))
    return system


def restitution(result: cm.Result) -> float:
    return float(result["two"].vx[-1] - result["one"].vx[-1]) / SPEED


def run(system: cm.System, t_end: float, **options) -> cm.Result:
    return cm.simulate(system, t_end, integrator="verlet", **options)


@pytest.mark.parametrize("name", LAWS)
def test_restitution_equals_that_of_runs_with_located_contacts(name):
    law = LAWS[name]
    t_end = 2e-4 + 1.2 * DURATION[name]
    exact = restitution(cm.simulate(two_spheres(law, False), t_end))
    assert exact == pytest.approx(law.returned_restitution(SPEED, 0.5 * MASS), abs=1e-5)
    assert restitution(run(two_spheres(law), t_end, max_step=DURATION[name] / 300)) == pytest.approx(exact, abs=1e-3)


@pytest.mark.parametrize("name", ["hertz", "hunt_crossley"])
def test_restitution_converges_with_the_square_of_the_step(name):
    """The error depends on the time of onset within a step, so the maximum over several step sizes is used."""
    law = LAWS[name]
    errors = []
    for parts in (25, 100):
        values = [
            restitution(run(two_spheres(law), 2e-4 + 1.2 * DURATION[name], max_step=DURATION[name] / (parts + shift)))
            for shift in np.linspace(0.0, 3.0, 7)
        ]
        errors.append(np.abs(np.array(values) - law.returned_restitution(SPEED)).max())
    assert errors[1] < errors[0] / 10.0
    assert errors[1] < 1e-3


@pytest.mark.parametrize(
    "friction", [cm.friction.Coulomb(0.4), cm.friction.Dahl(0.4, 1e5)], ids=lambda friction: friction.name
)
def test_momentum_and_angular_momentum_are_conserved(friction):
    rng = np.random.default_rng(5)
    system = cm.System(dim=3)
    places = 2.1 * RADIUS * np.stack(np.meshgrid(*[np.arange(3)] * 3), axis=-1).reshape(-1, 3)
    centre = places.mean(axis=0)
    spheres = [
        add_sphere(
            system, f"b{k}", p, tuple(20.0 * (centre - p) + rng.normal(0.0, 0.1, 3)), tuple(rng.normal(0.0, 30.0, 3))
        )
        for k, p in enumerate(places)
    ]
    add_group(system, spheres, friction=friction)
    result = run(system, 0.05, output=0.005)
    assert result["grains"].contacts.max() > 10
    linear, angular = np.zeros((len(result.t), 3)), np.zeros((len(result.t), 3))
    for body in system.bodies:
        series = result[body]
        linear += MASS * series.velocity
        angular += np.cross(series.position, MASS * series.velocity)
        angular += INERTIA * in_global_axes(series.orientation, series.omega)
    size = MASS * np.abs(result.v).max()
    assert np.abs(linear - linear[0]).max() < 1e-13 * len(spheres) * size
    assert np.abs(angular - angular[0]).max() < 1e-12 * len(spheres) * size * 0.1


def in_global_axes(q: np.ndarray, vectors: np.ndarray) -> np.ndarray:
    w, u = q[:, :1], q[:, 1:]
    return vectors + 2.0 * np.cross(u, np.cross(u, vectors) + w * vectors)


@pytest.mark.parametrize(
    ("law", "friction"),
    [
        (cm.laws.HuntCrossley(STIFFNESS, 0.7), cm.friction.Coulomb(0.3)),
        (cm.laws.Flores(STIFFNESS, 0.5), cm.friction.Dahl(0.3, 1e5)),
        (cm.laws.KelvinVoigt(1e5, damping=1.0), cm.friction.Coulomb(0.3)),
        (cm.laws.PlasticUnloading(STIFFNESS, 0.6), cm.friction.Coulomb(0.3)),
    ],
    ids=["hunt_crossley", "dahl", "kelvin_voigt", "plastic"],
)
def test_energy_balance_closes_and_total_energy_does_not_increase(law, friction):
    result = run(box_of_spheres(60, law, friction), 0.3, max_step=3e-5)
    energy = result.energy
    assert energy.friction[-1] > 0.1 * energy.scale
    assert energy.dissipated[-1] > 0.05 * energy.scale
    assert energy.drift < 5e-3
    assert np.diff(energy.total).max() < 1e-3 * energy.scale


def test_elastic_spheres_conserve_energy():
    system = box_of_spheres(60, cm.laws.Hertz(STIFFNESS), cm.friction.Coulomb(0.0))
    errors = [run(system, 0.3, max_step=h).energy.drift for h in (4e-5, 1e-5)]
    assert errors[0] < 5e-3
    assert errors[1] < 0.3 * errors[0]


def test_sphere_thrown_flat_rolls_at_five_sevenths():
    system = cm.System(dim=3, gravity=(0.0, 0.0, -GRAVITY))
    depth = (MASS * GRAVITY / STIFFNESS) ** (2.0 / 3.0)
    shape = add_sphere(system, "ball", (0.0, 0.0, RADIUS - depth), (0.3, 0.4, 0.0))
    add_group(system, [shape], [cm.Plane(system.ground)], friction=cm.friction.Coulomb(0.3, 1e-4))
    with pytest.warns(cm.CaromWarning, match="overlap by up to"):
        result = run(system, 0.15, max_step=5e-5)
    end = result[shape.body]
    assert math.hypot(end.vx[-1], end.vy[-1]) == pytest.approx(0.5 * 5.0 / 7.0, rel=2e-3)
    omega = in_global_axes(end.orientation, end.omega)[-1]
    assert omega * (RADIUS - depth) == pytest.approx([-end.vy[-1], end.vx[-1], 0.0], abs=2e-3)
    # It slides for the time 2 v/(7 μ g) over the distance 12 v²/(49 μ g).
    lost = 0.5 * MASS * 0.25 * 2.0 / 7.0
    assert result.energy.friction[-1] == pytest.approx(lost, rel=5e-3)


@pytest.mark.parametrize(
    "friction",
    [cm.friction.LuGre(0.5, 0.4, 1e-3, 1e4, 10.0), cm.friction.Dahl(0.5, 1e4)],
    ids=lambda friction: friction.name,
)
def test_friction_with_a_state_holds_a_box_on_a_slope(friction):
    """The displacement equals that of located contacts in an adaptive method."""
    slope = math.radians(15.0)
    law, mass, half = cm.laws.KelvinVoigt(1e5, damping=20.0), 0.1, (0.02, 0.02, 0.01)
    ends = []
    for many in (False, True):
        system = cm.System(dim=3, gravity=(GRAVITY * math.sin(slope), 0.0, -GRAVITY * math.cos(slope)))
        body = system.add(cm.Body("box", mass, (2e-5, 2e-5, 3e-5), (0.0, 0.0, half[2])))
        box, plane = cm.Box(body, half), cm.Plane(system.ground)
        if many:
            add_group(system, [box], [plane], law, friction)
            result = run(system, 0.3, max_step=2e-5, output=[0.1, 0.2])
            assert result["grains"].normal_force[-1] == pytest.approx(mass * GRAVITY * math.cos(slope), rel=1e-3)
            assert result["grains"].contacts[-1] == 4
        else:
            system.add(cm.Contact(box, plane, law, friction))
            result = cm.simulate(system, 0.3, rtol=1e-6, atol=1e-9)
        ends.append(result.sample([0.1, 0.2, 0.3])["box"].x)
    assert ends[1] == pytest.approx(ends[0], rel=1e-2)
    assert ends[1][-1] < 3e-4


def test_box_slides_down_a_steep_slope():
    slope, mu = math.radians(30.0), 0.2
    system = cm.System(dim=3, gravity=(GRAVITY * math.sin(slope), 0.0, -GRAVITY * math.cos(slope)))
    mass, half = 0.1, (0.02, 0.02, 0.01)
    law = cm.laws.KelvinVoigt(1e5, damping=20.0)
    depth = mass * GRAVITY * math.cos(slope) / 4e5
    body = system.add(cm.Body("box", mass, (2e-5, 2e-5, 3e-5), (0.0, 0.0, half[2] - depth)))
    add_group(system, [cm.Box(body, half)], [cm.Plane(system.ground)], law, cm.friction.Dahl(mu, 1e5))
    with pytest.warns(cm.CaromWarning, match="overlap"):
        result = run(system, 0.2, max_step=2e-5)
    expected = GRAVITY * (math.sin(slope) - mu * math.cos(slope)) * 0.2
    assert result["box"].vx[-1] == pytest.approx(expected, rel=3e-3)


def test_rotation_of_a_free_body_equals_that_of_an_adaptive_method():
    """Unstable rotation about the intermediate principal axis; the principal axes are not those of the body."""
    axes = np.linalg.qr(np.array([[2.0, 1.0, 0.0], [0.5, 3.0, 1.0], [0.0, 1.0, 1.0]]))[0]
    inertia = axes @ np.diag([1.0, 2.0, 2.5]) @ axes.T * 1e-4
    start = {
        "mass": 1.0, "inertia": inertia, "position": (0.0, 0.0, 1.0), "orientation": (0.5, 0.5, 0.5, 0.5),
        "velocity": (1.0, 0.0, 2.0), "angular_velocity": tuple(axes @ np.array([0.5, 8.0, 0.3])),
    }  # fmt: skip
    ends = {}
    for integrator in ("dop853", "verlet"):
        system = cm.System(dim=3, gravity=(0.0, 0.0, -GRAVITY))
        body = system.add(cm.Body("top", **start))
        if integrator == "verlet":
            add_group(system, [cm.Box(body, (0.1, 0.1, 0.1))], [cm.Plane(system.ground, at=(0.0, 0.0, -9.0))])
        options = {"max_step": 1e-4, "output": 0.1} if integrator == "verlet" else {"rtol": 1e-10}
        result = cm.simulate(system, 1.0, integrator=integrator, **options)
        ends[integrator] = result.sample([0.5, 1.0])["top"]
    one, two = ends["dop853"], ends["verlet"]
    assert two.position == pytest.approx(one.position, abs=1e-9)
    assert two.velocity == pytest.approx(one.velocity, abs=1e-9)
    assert two.omega == pytest.approx(one.omega, abs=2e-4)
    assert two.orientation * np.sign(two.orientation[:, :1]) == pytest.approx(
        one.orientation * np.sign(one.orientation[:, :1]), abs=1e-4
    )


def test_sphere_transfers_momentum_to_a_free_plate():
    """An elastic impact of masses m and 3 m: the speeds afterwards are half the approach speed."""
    system = cm.System(dim=3)
    shape = add_sphere(system, "ball", (0.0, 0.0, RADIUS + 1e-3), (0.0, 0.0, -1.0))
    plate = system.add(cm.Body("plate", 3.0 * MASS, (1e-3, 1e-3, 1e-3), (0.0, 0.0, 0.0)))
    add_group(system, [shape], [cm.Plane(plate)], cm.laws.Hertz(STIFFNESS))
    result = run(system, 0.01, max_step=5e-6)
    assert result["ball"].vz[-1] == pytest.approx(0.5, abs=1e-3)
    assert result["plate"].vz[-1] == pytest.approx(-0.5, abs=1e-3)
    assert MASS * (result["ball"].vz + 3.0 * result["plate"].vz) == pytest.approx(-MASS, abs=1e-15)


def test_rotating_plate_hits_a_sphere_far_from_its_centre():
    """An infinite plane on a rotating body has no bounding box: all its pairs are candidates."""
    system = cm.System(dim=3)
    shape = add_sphere(system, "ball", (2.0, 0.0, RADIUS + 0.05))
    plate = system.add(cm.Body("plate", 1e4, (1e4, 1e4, 1e4), (0.0, 0.0, 0.0), angular_velocity=(0.0, -1.0, 0.0)))
    add_group(system, [shape], [cm.Plane(plate)], cm.laws.Hertz(1e7))
    result = run(system, 0.06, max_step=5e-6)
    # The speed of the plate is 1 rad/s × 2 m; after the elastic impact the sphere has twice this speed.
    assert float(np.linalg.norm(result["ball"].velocity[-1])) == pytest.approx(4.0, rel=1e-2)


def walls(system: cm.System) -> dict[str, list[cm.Sphere]]:
    ground = system.ground
    corners = [(-1.0, -1.0, 0.0), (1.0, -1.0, 0.0), (1.0, 1.0, 0.0), (-1.0, 1.0, 0.0)]
    below = [(x, y, -0.5) for x, y, _ in corners]
    faces = [(0, 1, 2), (0, 2, 3), (4, 6, 5), (4, 7, 6), (0, 4, 5), (0, 5, 1), (1, 5, 6), (1, 6, 2), (2, 6, 7),
             (2, 7, 3), (3, 7, 4), (3, 4, 0)]  # fmt: skip
    return {
        "plane": cm.Plane(ground),
        "box": cm.Box(ground, (1.0, 1.0, 0.5), at=(0.0, 0.0, -0.5)),
        "rectangle": cm.Rectangle(ground, (0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), 1.0, 1.0),
        "disc": cm.Disc(ground, (0.0, 0.0, 0.0), (0.0, 0.0, 1.0), 1.0, edges="ignore"),
        "cylinder": cm.Cylinder(ground, (0.0, 0.0, -0.5), (0.0, 0.0, 1.0), 1.0, 0.5),
        "mesh": cm.Mesh(ground, vertices=[*corners, *below], faces=faces),
        "cavity": cm.Sphere(ground, 1.0, at=(0.0, 0.0, 1.0), inside=True),
    }


@each("name", ["plane", "box", "rectangle", "disc", "cylinder", "mesh", "cavity"])
def test_every_shape_supports_a_sphere(name):
    system = cm.System(dim=3, gravity=(0.0, 0.0, -GRAVITY))
    shape = add_sphere(system, "ball", (0.0, 0.0, RADIUS + 5e-4))
    add_group(system, [shape], [walls(system)[name]], cm.laws.KelvinVoigt(1e4, damping=5.0))
    result = run(system, 0.2)
    weight = MASS * GRAVITY
    assert result["ball"].z[-1] == pytest.approx(RADIUS - weight / 1e4, abs=1e-7)
    assert result["grains"].normal_force[-1] == pytest.approx(weight, rel=1e-3)


def test_results_do_not_depend_on_the_number_of_threads():
    ends = []
    for threads in (1, 2, 3):
        with VerletEngine(ManyBodyData(box_of_spheres(100)), threads) as engine:
            engine.evaluate(5e-5)
            assert engine.advance(0.1, 5e-5)
            assert engine.rebuilds > 5
            assert engine.n_touching > 50
            ends.append([values.tobytes() for values in (*engine.model.body_values, engine.energy_losses)])
    assert ends[0] == ends[1] == ends[2]


def test_a_new_list_keeps_the_history_of_contacts():
    """A contact keeps its approach speed and its friction state when the neighbour list is rebuilt."""
    engine = VerletEngine(ManyBodyData(box_of_spheres(60, friction=cm.friction.Dahl(0.3, 1e5))), threads=1)
    engine.evaluate(5e-5)
    engine.advance(0.25, 5e-5)
    before = pair_histories(engine)
    engine.rebuild()
    after = pair_histories(engine)
    assert len(before) > 80
    assert before == after
    assert any(any(state["friction_state"]) for _, state in before.values())


def pair_histories(engine: VerletEngine) -> dict[tuple[int, int, int], tuple[np.void, np.void]]:
    """Return history and state of all pairs in contact."""
    pairs = engine.pairs
    return {
        (i, *pairs.entries[k].tolist()): (pairs.history[k].copy(), pairs.pair_states[k].copy())
        for i in range(1, engine.n_bodies + 1)
        for k in range(pairs.first_entry[i], pairs.first_entry[i + 1])
        if pairs.is_touching[k]
    }


def rolling_sphere(rolling: cm.friction.Rolling, dim: int = 3) -> cm.System:
    """Return a sphere, or a disc, that rolls without sliding on a floor at 1 m/s."""
    system = cm.System(dim=dim, gravity=(0.0, 0.0, -GRAVITY) if dim == 3 else (0.0, -GRAVITY))
    sag = (MASS * GRAVITY / 1e4,)
    if dim == 3:
        body = cm.Body("ball", MASS, (INERTIA,) * 3, (0.0, 0.0, RADIUS - sag[0]), velocity=(1.0, 0.0, 0.0),
                       angular_velocity=(0.0, 1.0 / RADIUS, 50.0))  # fmt: skip
        floor = cm.Plane(system.ground)
    else:
        body = cm.Body("ball", MASS, INERTIA, (0.0, RADIUS - sag[0]), velocity=(1.0, 0.0),
                       angular_velocity=-1.0 / RADIUS)  # fmt: skip
        floor = cm.Plane(system.ground, normal=(0.0, 1.0))
    group = ContactGroup(
        [cm.Sphere(system.add(body), RADIUS)], [floor], cm.laws.KelvinVoigt(1e4, damping=2.0),
        cm.friction.Coulomb(0.5), name="floor", rolling=rolling,
    )  # fmt: skip
    system.groups.append(group)
    return system


@pytest.mark.parametrize("dim", [2, 3])
def test_rolling_resistance_stops_a_sphere(dim):
    """It decelerates by g b/R/(1 + I/(m R²)), the torque N b acting beside the friction that keeps it rolling."""
    lever = 2e-4
    result = cm.simulate(rolling_sphere(cm.friction.Rolling(lever, spin=1e-2), dim), 2.0, max_step=5e-5, output=0.1)
    deceleration = GRAVITY * lever / RADIUS / (1.0 + INERTIA / (MASS * RADIUS**2))
    early = result.t < 0.9 / deceleration
    assert result["ball"].vx[early] == pytest.approx(1.0 - deceleration * result.t[early], abs=2e-3)
    assert result.energy.drift < 1e-3
    stopped = cm.simulate(rolling_sphere(cm.friction.Rolling(5 * lever), dim), 2.0, max_step=5e-5, output=0.1)
    assert abs(stopped["ball"].vx[-1]) < 1e-6
    assert stopped["ball"].x[-1] == pytest.approx(0.5 / (5.0 * deceleration), rel=5e-3)
    lost = stopped.energy.kinetic[0] - stopped.energy.kinetic[-1]
    assert stopped.energy.friction[-1] == pytest.approx(lost, rel=5e-3)


def test_spinning_resistance_stops_the_rotation_about_the_normal():
    """The torque N b_s reduces the spin linearly."""
    spinning = 5e-5
    system = rolling_sphere(cm.friction.Rolling(0.0, spinning=spinning))
    result = cm.simulate(system, 0.2, max_step=5e-5, output=0.02)
    rate = MASS * GRAVITY * spinning / INERTIA
    # The global z component of the angular velocity, from the body axes.
    omega = np.array([matrix_of(q) @ w for q, w in zip(result["ball"].orientation, result["ball"].omega, strict=True)])
    early = result.t < 0.9 * 50.0 / rate
    assert early.sum() > 3
    assert omega[early, 2] == pytest.approx(50.0 - rate * result.t[early], abs=0.1)
