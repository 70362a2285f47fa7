"""Candidate pairs: cell grid and tree against a check of every pair."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import carom as cm
from carom.compiled_model.many_body_data import ManyBodyData
from carom.solve.many_body.verlet_engine import VerletEngine
from quick import examples
from solve.many_body.systems import add_group, add_sphere, box_of_spheres, box_walls

coordinate = st.floats(-0.1, 0.1)


def cloud(points, radii, far=()) -> cm.System:
    system = cm.System(dim=3)
    spheres = [
        add_sphere(system, f"b{k}", tuple(p), radius=r) for k, (p, r) in enumerate(zip(points, radii, strict=True))
    ]
    spheres += [add_sphere(system, f"far {k}", place, radius=radii[0]) for k, place in enumerate(far)]
    add_group(system, spheres, box_walls(system, 0.1))
    return system


def candidates(engine: VerletEngine) -> set[tuple[int, int, int]]:
    pairs = engine.search.candidates().tolist()
    assert len(set(pairs)) == len(pairs), "a pair is found twice"
    return set(pairs)


def brute_force(engine: VerletEngine) -> set[tuple[int, int]]:
    """Return the pairs of spheres that are closer than the skin, by a check of all pairs."""
    bodies, skin = engine.model.pair_data, engine.model.skin
    close = set()
    for i, j in itertools.combinations(range(1, len(bodies)), 2):
        a, b = bodies[i], bodies[j]
        gap = np.linalg.norm(a["r"] - b["r"]) - a["bounding_radius"] - b["bounding_radius"]
        if gap < skin:
            close.add((i, j))
    return close


def near_planes(engine: VerletEngine) -> int:
    """Return the number of spheres that are closer to a wall of the box than the skin, counted wall by wall."""
    bodies, skin = engine.model.pair_data[1:], engine.model.skin
    x, r = bodies["r"], bodies["bounding_radius"]
    heights = [x[:, 2], x[:, 0], 0.1 - x[:, 0], x[:, 1], 0.1 - x[:, 1]]
    return sum(int(np.sum(height - r < skin)) for height in heights)


@examples(40)
@given(
    points=st.lists(st.tuples(coordinate, coordinate, coordinate), min_size=2, max_size=40, unique=True),
    stray=st.booleans(),
)
def test_cells_and_tree_find_all_close_spheres(points, stray):
    far = [(80.0, -3.0, 2.0), (80.0, -3.0, 2.019)] if stray else []
    system = cloud(points, [0.01] * len(points), far)
    engines = [VerletEngine(ManyBodyData(system, broad_phase), threads=1) for broad_phase in ("cells", "tree")]
    sets = [candidates(engine) for engine in engines]
    assert sets[0] == sets[1]
    for engine, pairs in zip(engines, sets, strict=True):
        assert {(i, j) for i, j, code in pairs if code >= 0} == brute_force(engine)
        assert sum(code < 0 for *_, code in pairs) == near_planes(engine)


@examples(25)
@given(
    spheres=st.lists(st.tuples(coordinate, coordinate, coordinate, st.floats(0.001, 0.05)), min_size=2, max_size=30),
    moves=st.lists(st.tuples(coordinate, coordinate, coordinate), min_size=1, max_size=4),
)
def test_tree_follows_moving_spheres_of_different_sizes(spheres, moves):
    """Leaves are removed and inserted again as the spheres move."""
    system = cloud([b[:3] for b in spheres], [b[3] for b in spheres])
    engine = VerletEngine(ManyBodyData(system, "tree"), threads=1)
    for move in moves:
        assert {(i, j) for i, j, code in candidates(engine) if code >= 0} == brute_force(engine)
        size = np.linspace(-1.0, 1.0, len(spheres))[:, None]
        engine.model.pair_data["r"][1:] += size * np.array(move)
    assert {(i, j) for i, j, code in candidates(engine) if code >= 0} == brute_force(engine)


def test_close_boxes_are_found():
    """Boxes with random orientations: exactly the pairs with a gap below the skin are candidates."""
    rng = np.random.default_rng(3)
    system = cm.System(dim=3)
    shapes = []
    for k in range(25):
        q = rng.normal(size=4)
        body = cm.Body(f"b{k}", 1.0, (1.0, 1.0, 1.0), rng.uniform(0.0, 0.4, 3), orientation=q / np.linalg.norm(q))
        shapes.append(cm.Box(system.add(body), (0.03, 0.05, 0.04)))
    add_group(system, shapes, [cm.Plane(system.ground)])
    engine = VerletEngine(ManyBodyData(system), threads=1)
    index = engine.model.body_index
    pairs = candidates(engine)
    for one, two in itertools.combinations(shapes, 2):
        i, j = sorted((index[id(one.body)], index[id(two.body)]))
        n_points = sum((a, b) == (i, j) for a, b, _ in pairs)
        gap = cm.closest(one, two).gap
        assert (n_points > 1) == (gap < engine.model.skin)
    for shape in shapes:
        close = cm.closest(shape, cm.Plane(system.ground)).gap < engine.model.skin
        assert any((a, b) == (index[id(shape.body)], 0) for a, b, _ in pairs) == close


@pytest.mark.parametrize("sizes", [None, np.linspace(0.006, 0.0135, 60)])
def test_both_searches_give_bit_identical_motion(sizes):
    ends = []
    for broad_phase in ("cells", "tree"):
        engine = VerletEngine(ManyBodyData(box_of_spheres(60, sizes=sizes), broad_phase), threads=1)
        engine.evaluate(5e-5)
        assert engine.advance(0.15, 5e-5)
        assert engine.rebuilds > 10
        ends.append(engine.model.motion_data.tobytes())
    assert ends[0] == ends[1]
