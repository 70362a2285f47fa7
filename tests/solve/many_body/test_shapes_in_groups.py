"""Shapes in groups whose pairs have several contact points or a warm start."""

import numpy as np
import pytest
from tests.solve.many_body.systems import GRAVITY, STIFFNESS, add_group, add_sphere

import carom as cm
from carom.compiled_model.many_body_data import ManyBodyData
from carom.solve.many_body.memory import list_bytes, memory_of_run
from carom.solve.many_body.verlet_engine import VerletEngine

HALF, MASS = 0.05, 1.0
STEP = 1e-4


def stack(count: int, n_spheres: int = 0) -> cm.System:
    """Return boxes on a floor, slightly above each other and shifted, and spheres beside them."""
    system = cm.System(dim=3, gravity=(0.0, 0.0, -GRAVITY), name="stack")
    inertia = (MASS * (2.0 * HALF) ** 2 / 6.0,) * 3
    boxes = [
        cm.Box(system.add(cm.Body(f"box {k}", MASS, inertia, (0.004 * k, 0.002 * k, HALF + 0.1001 * k))), (HALF,) * 3)
        for k in range(count)
    ]
    boxes += [add_sphere(system, f"ball {k}", (0.3 + 0.021 * k, 0.0, 0.011)) for k in range(n_spheres)]
    law, friction = cm.laws.HuntCrossley(STIFFNESS, 0.7), cm.friction.ElastoPlastic(0.5, 500.0)
    add_group(system, boxes, [cm.Plane(system.ground)], law, friction, name="boxes")
    return system


def outline(kind: str, body: cm.Body):
    """Return a planar shape: convex or not, smooth or with corners."""
    s = np.linspace(0.0, 2.0 * np.pi, 64, endpoint=False)
    around = np.column_stack([np.cos(s), np.sin(s)])
    if kind == "ellipses":
        return cm.Curve(body, around * (0.08, 0.05), closed=True)
    if kind == "lobes":
        return cm.Curve(body, around * (0.07 + 0.012 * np.cos(3.0 * s))[:, None], closed=True)
    if kind == "squares":
        return cm.Polygon(body, [(-0.06, -0.06), (0.06, -0.06), (0.06, 0.06), (-0.06, 0.06)])
    return cm.Polygon(
        body, [(-0.06, -0.06), (0.06, -0.06), (0.06, -0.02), (-0.02, -0.02), (-0.02, 0.06), (-0.06, 0.06)]
    )


def colliding(grouped: bool, kind: str = "ellipses", angle: float = 0.7) -> cm.System:
    """Return two planar shapes that collide off their centres, without gravity."""
    system = cm.System(name=kind)
    one = system.add(cm.Body("one", 1.0, 2.2e-3, position=(0.0, 0.0), velocity=(1.0, 0.0)))
    two = system.add(cm.Body("two", 2.0, 4.4e-3, position=(0.2, 0.04), angle=angle))
    shapes = [outline(kind, one), outline(kind, two)]
    law = cm.laws.HuntCrossley(1e7, 0.8)
    if grouped:
        add_group(system, shapes, law=law, name=kind)
    else:
        system.add(cm.Contact(*shapes, law=law, name=kind))
    return system


def velocities(result: cm.Result) -> np.ndarray:
    """Return the last velocities of both bodies; rotations as speeds of points 0.1 m away."""
    bodies = [result["one"], result["two"]]
    return np.array([[body.vx[-1], body.vy[-1], 0.1 * body.omega[-1]] for body in bodies])


def test_stacked_boxes_rest_on_four_corners_each():
    system = stack(3)
    result = cm.simulate(system, 0.4, max_step=STEP, output=0.05)
    assert result["boxes"].contacts[-1] == 12
    assert result["contacts on ground"].fz[-1] == pytest.approx(-3 * MASS * GRAVITY, rel=0.02)
    sunk = sum((n * MASS * GRAVITY / 4 / STIFFNESS) ** (2 / 3) for n in (1, 2, 3))
    assert 5 * HALF - result["box 2"].z[-1] == pytest.approx(sunk, rel=0.02)


@pytest.mark.parametrize("kind", ["ellipses", "lobes", "squares", "angles"])
def test_planar_shapes_collide_as_with_located_contacts(kind: str):
    exact = cm.simulate(colliding(False, kind), 0.14, max_step=1e-3)
    assert exact.impacts
    errors = []
    for step in (2e-5, 1e-5):
        result = cm.simulate(colliding(True, kind), 0.14, integrator="verlet", max_step=step, output=0.14)
        errors.append(np.abs(velocities(exact) - velocities(result)).max())
    assert errors[1] < 2e-4
    assert errors[1] < 0.6 * errors[0]


@pytest.mark.parametrize(
    ("kind", "angle"), [("ellipses", 0.7), ("lobes", 2.0), ("angles", 0.3)], ids=["deep", "too deep", "through"]
)
def test_a_step_across_the_other_body_finds_the_onset(kind: str, angle: float):
    """Free flight has long steps; at the end of one the bodies may overlap any depth, or be behind each other."""
    small = cm.simulate(colliding(False, kind, angle), 0.4, max_step=1e-3)
    large = cm.simulate(colliding(False, kind, angle), 0.4)
    assert small.impacts[0].t_start > 0.05
    assert large.impacts[0].t_start == pytest.approx(small.impacts[0].t_start, abs=1e-10)


def test_only_pairs_that_need_a_warm_start_have_one():
    engine = VerletEngine(ManyBodyData(stack(2, n_spheres=5)), 1)
    pairs, kinds = engine.pairs, engine.model.pair_kinds
    points = pairs.entries["group_or_kind"][: engine.n_pairs]
    rows = kinds[-1 - points[points < 0]]
    boxes = rows[rows["warm_start_shift"] > 0]
    assert len(boxes) == 24, "25 contact points of the two boxes share one warm start"
    of_planes = 8 * 8 * 2  # at least: 8 corners of each box on the plane
    own = rows["warm_start_size"][rows["warm_start_shift"] == 0].sum()
    assert of_planes <= own <= len(pairs.warm_start) <= 1.2 * own
    addresses = pairs.warm_start_offsets[: engine.n_pairs][points < 0] - rows["warm_start_shift"]
    assert np.all(np.diff(addresses) <= rows["warm_start_size"].max())
    engine.close()


@pytest.mark.parametrize("threads", [1, 2])
def test_a_resumed_stack_has_the_same_bits(threads):
    engines = [VerletEngine(ManyBodyData(stack(3)), n) for n in (1, threads)]
    for engine in engines:
        engine.evaluate(STEP)
        engine.advance(0.01, STEP)
    engines[1].restore({name: array.copy() for name, array in engines[0].mutable_state().items()})
    for engine in engines:
        engine.advance(0.01, STEP)
        engine.close()
    assert engines[0].rebuilds >= 1
    assert engines[0].model.motion_data.tobytes() == engines[1].model.motion_data.tobytes()


def test_a_new_list_keeps_warm_starts():
    engine = VerletEngine(ManyBodyData(stack(3)), 1)
    engine.evaluate(STEP)
    engine.advance(0.01, STEP)
    before = engine.pairs.warm_start.copy()
    used = engine.model.count_warm_starts(engine.pairs.entries["group_or_kind"][: engine.n_pairs])
    entries = engine.pairs.entries[: engine.n_pairs].copy()
    engine.rebuild()
    assert engine.pairs.entries[: engine.n_pairs].tobytes() == entries.tobytes()
    assert np.abs(before[:used]).max() > 0.0
    np.testing.assert_array_equal(engine.pairs.warm_start[:used], before[:used])
    engine.close()


def test_memory_counts_contact_points():
    system = stack(4)
    spheres = cm.gallery.box_of_spheres(balls=400).system.groups[0]
    assert list_bytes(system.groups[0], 100) > 25 * list_bytes(spheres, 100)
    engine = VerletEngine(ManyBodyData(system), 1)
    estimate = memory_of_run(system, 2, False)
    assert engine.pairs.warm_start.nbytes + engine.pairs.entries.nbytes < estimate.pairs
    engine.close()


def test_closed_curves_have_bounds():
    system = colliding(True)
    centre, half = system.groups[0].shapes[0].bounding_box()
    np.testing.assert_allclose(centre, 0.0, atol=1e-12)
    outline = system.groups[0].shapes[0].outline(4001)
    np.testing.assert_allclose(half[:2], np.abs(outline).max(axis=0), rtol=1e-6)
    assert half[2] == 0.0
    open_curve = cm.Curve(system.ground, [(0.0, 0.0), (0.1, 0.0), (0.2, 0.1)])
    assert np.isinf(open_curve.bounding_box()[1]).all()
