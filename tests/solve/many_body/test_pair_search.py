"""Pairs that are close: cells and tree against every pair looked at."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import carom as cm
from carom.solve.many_body import records as at
from carom.solve.many_body.model_arrays import ManyBodyModel
from carom.solve.many_body.verlet_engine import VerletEngine
from quick import examples
from solve.many_body.systems import ball, box_of_balls, box_walls, grouped

coordinate = st.floats(-0.1, 0.1)


def cloud(points, radii, far=()) -> cm.System:
    system = cm.System(dim=3)
    balls = [ball(system, f"b{k}", tuple(p), radius=r) for k, (p, r) in enumerate(zip(points, radii, strict=True))]
    balls += [ball(system, f"far {k}", place, radius=radii[0]) for k, place in enumerate(far)]
    grouped(system, balls, box_walls(system, 0.1))
    return system


def found(engine: VerletEngine) -> set[tuple[int, int, int]]:
    pairs = [tuple(int(part) for part in row) for row in engine.candidates()]
    assert len(set(pairs)) == len(pairs), "no pair is found twice"
    return set(pairs)


def brute_force(engine: VerletEngine) -> set[tuple[int, int]]:
    """Bodies of balls closer than the skin, by looking at all of them."""
    hot, skin = engine.scene.hot, engine.scene.skin
    close = set()
    for i, j in itertools.combinations(range(1, len(hot)), 2):
        gap = np.linalg.norm(hot[i, :3] - hot[j, :3]) - hot[i, at.RADIUS] - hot[j, at.RADIUS]
        if gap < skin:
            close.add((i, j))
    return close


def near_planes(engine: VerletEngine) -> int:
    """Balls closer to the walls of the box than the skin, counted wall by wall."""
    hot, skin = engine.scene.hot[1:], engine.scene.skin
    x, r = hot[:, :3], hot[:, at.RADIUS]
    heights = [x[:, 2], x[:, 0], 0.1 - x[:, 0], x[:, 1], 0.1 - x[:, 1]]
    return sum(int(np.sum(height - r < skin)) for height in heights)


@examples(40)
@given(
    points=st.lists(st.tuples(coordinate, coordinate, coordinate), min_size=2, max_size=40, unique=True),
    stray=st.booleans(),
)
def test_cells_and_tree_find_the_balls_that_are_close(points, stray):
    far = [(80.0, -3.0, 2.0), (80.0, -3.0, 2.019)] if stray else []
    system = cloud(points, [0.01] * len(points), far)
    engines = [VerletEngine(ManyBodyModel(system, broad), threads=1) for broad in ("cells", "tree")]
    sets = [found(engine) for engine in engines]
    assert sets[0] == sets[1]
    for engine, pairs in zip(engines, sets, strict=True):
        assert {(i, j) for i, j, code in pairs if code >= 0} == brute_force(engine)
        assert sum(code < 0 for *_, code in pairs) == near_planes(engine)


@examples(25)
@given(
    balls=st.lists(st.tuples(coordinate, coordinate, coordinate, st.floats(0.001, 0.05)), min_size=2, max_size=30),
    moves=st.lists(st.tuples(coordinate, coordinate, coordinate), min_size=1, max_size=4),
)
def test_tree_follows_balls_of_all_sizes(balls, moves):
    """Leaves are taken out and put in again as the balls move."""
    system = cloud([b[:3] for b in balls], [b[3] for b in balls])
    engine = VerletEngine(ManyBodyModel(system, "tree"), threads=1)
    for move in moves:
        assert {(i, j) for i, j, code in found(engine) if code >= 0} == brute_force(engine)
        size = np.linspace(-1.0, 1.0, len(balls))[:, None]
        engine.scene.hot[1:, :3] += size * np.array(move)
    assert {(i, j) for i, j, code in found(engine) if code >= 0} == brute_force(engine)


def test_mixed_sizes_are_searched_by_the_tree_and_like_sizes_by_cells():
    one = ManyBodyModel(cloud([(0.0, 0.0, 0.0), (0.1, 0.0, 0.0)], [0.01, 0.015]))
    two = ManyBodyModel(cloud([(0.0, 0.0, 0.0), (0.1, 0.0, 0.0)], [0.01, 0.05]))
    assert [scene.searches[0].by_cells for scene in (one, two)] == [True, False]


def test_boxes_that_are_close_are_found():
    """Boxes turned at random: all pairs with a gap below the skin, none with boxes far apart."""
    rng = np.random.default_rng(3)
    system = cm.System(dim=3)
    shapes = []
    for k in range(25):
        q = rng.normal(size=4)
        body = cm.Body(f"b{k}", 1.0, (1.0, 1.0, 1.0), rng.uniform(0.0, 0.4, 3), orientation=q / np.linalg.norm(q))
        shapes.append(cm.Box(system.add(body), (0.03, 0.05, 0.04)))
    grouped(system, shapes, [cm.Plane(system.ground)])
    engine = VerletEngine(ManyBodyModel(system), threads=1)
    place = engine.scene.place
    pairs = found(engine)
    for one, two in itertools.combinations(shapes, 2):
        i, j = sorted((place[id(one.body)], place[id(two.body)]))
        spots = sum((a, b) == (i, j) for a, b, _ in pairs)
        gap = cm.closest(one, two).gap
        assert (spots > 1) == (gap < engine.scene.skin)
    for shape in shapes:
        close = cm.closest(shape, cm.Plane(system.ground)).gap < engine.scene.skin
        assert any((a, b) == (place[id(shape.body)], 0) for a, b, _ in pairs) == close


@pytest.mark.parametrize("sizes", [None, np.linspace(0.006, 0.0135, 60)])
def test_both_searches_give_the_same_motion_to_the_last_bit(sizes):
    ends = []
    for broad in ("cells", "tree"):
        engine = VerletEngine(ManyBodyModel(box_of_balls(60, sizes=sizes), broad), threads=1)
        engine.evaluate(5e-5)
        assert engine.advance(0.15, 5e-5)
        assert engine.rebuilds > 10
        ends.append(engine.scene.cold.tobytes())
    assert ends[0] == ends[1]
