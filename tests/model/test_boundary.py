"""Inlets and outlets of a system: arguments, errors and model files."""

from __future__ import annotations

import numpy as np
import pytest

import carom as cm


def world(dim: int = 2, count: int = 3) -> tuple[cm.System, list[cm.Body]]:
    system = cm.System(dim=dim)
    return system, [system.add(cm.Body(f"b{k}", 1.0, 0.1, (float(k), *[0.0] * (dim - 1)))) for k in range(count)]


def test_a_rate_gives_equally_spaced_times():
    _, bodies = world()
    assert cm.Inlet(bodies, rate=4.0, start=1.0).times == (1.0, 1.25, 1.5)
    assert cm.Inlet(iter(bodies), times=np.array([3.0, 1.0, 2.0])).times == (3.0, 1.0, 2.0)


def test_boundaries_are_elements_of_the_system():
    system, bodies = world()
    inlet = system.add(cm.Inlet(bodies[:2], rate=1.0))
    outlet = system.add(cm.Outlet(at=(0.0, 0.0), normal=(0.0, -2.0), name="drain"))
    other = system.add(cm.Outlet(box=((0.0, 0.0), (1.0, 1.0))))
    assert system.boundaries == [inlet, outlet, other]
    assert [boundary.name for boundary in system.boundaries] == ["inlet", "drain", "outlet"]
    assert system["drain"] is outlet
    assert outlet.normal == (0.0, -1.0)
    assert "3 boundaries" in repr(system)
    same = cm.System.from_yaml(system.to_yaml())
    assert same.to_yaml() == system.to_yaml()
    assert [body.name for body in same["inlet"].bodies] == ["b0", "b1"]


def test_regions_contain_points():
    points = np.array([[0.0, 0.0], [1.0, 0.5], [2.0, -1.0]])
    assert cm.Outlet(at=(0.5, 0.0), normal=(1.0, 0.0)).contains(points).tolist() == [False, True, True]
    assert cm.Outlet(box=((0.0, 0.0), (1.0, 1.0))).contains(points).tolist() == [True, True, False]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({}, r"Inlet: needs either times= or rate=, got none"),
        ({"times": [0.0] * 3, "rate": 1.0}, r"Inlet: needs either times= or rate=, got both"),
        ({"times": [0.0]}, r"Inlet: times must be 3 numbers, got 1"),
        ({"times": [0.0, -1.0, 0.0]}, r"Inlet: times\[1\] must be positive or zero, got -1"),
        ({"rate": 0.0, "name": "feed"}, r"Inlet 'feed': rate must be positive, got 0"),
        ({"times": [0.0] * 3, "start": 1.0}, r"Inlet: start must be 0 with times=, got 1 s; add it to the times"),
    ],
)
def test_wrong_arguments_of_inlets_are_rejected(arguments, message):
    _, bodies = world()
    with pytest.raises(cm.ModelError, match=message):
        cm.Inlet(bodies, **arguments)


def test_wrong_bodies_of_inlets_are_rejected():
    system, (a, b, c) = world()
    for bodies, message in (
        (a, "bodies must be a list of bodies"),
        ([], "bodies must contain at least one body, got none"),
        (["b0"], "bodies must contain bodies that move, got 'b0'"),
        ([system.ground], "bodies must contain bodies that move, got <ground>"),
        ([a, b, a], "body 'b0' is listed twice; list every body once"),
    ):
        with pytest.raises(cm.ModelError, match=message):
            cm.Inlet(bodies, rate=1.0)
    system.add(cm.Inlet([a, b], rate=1.0, name="feed"))
    with pytest.raises(cm.ModelError, match="Inlet 'more': body 'b1' belongs to Inlet 'feed' already"):
        system.add(cm.Inlet([c, b], rate=1.0, name="more"))
    with pytest.raises(cm.ModelError, match="Inlet: body 'b0' is not in system 'system'; add the body first"):
        system.add(cm.Inlet(world()[1], rate=1.0))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({}, r"Outlet: needs either at= and normal=, or box="),
        ({"at": (0.0, 0.0)}, r"Outlet: needs either at= and normal=, or box="),
        ({"at": (0.0, 0.0), "normal": (1.0, 0.0), "box": ((0, 0), (1, 1))}, r"Outlet: needs either at= and normal="),
        ({"at": (0.0,), "normal": (1.0,)}, r"Outlet: at must be 2 or 3 numbers, got 1"),
        ({"at": (0.0, 0.0), "normal": (0.0, 0.0)}, r"Outlet: normal must have a direction"),
        ({"box": ((0, 0), (1, 0))}, r"Outlet: box must have a lower corner below the upper one in all coordinates"),
        ({"box": (0, 1)}, r"Outlet: box\[0\] must be a list of numbers, got 0"),
        ({"box": ((0, 0), (1, 1), (2, 2))}, r"Outlet: box must be two corners \(lower, upper\)"),
        ({"box": ((0, 0), (1, 1)), "interval": 0.0, "name": "out"}, r"Outlet 'out': interval must be positive, got 0"),
    ],
)
def test_wrong_arguments_of_outlets_are_rejected(arguments, message):
    with pytest.raises(cm.ModelError, match=message):
        cm.Outlet(**arguments)


def test_an_outlet_has_the_dimension_of_its_system():
    with pytest.raises(cm.ModelError, match="Outlet: at must have 3 coordinates in system 'system' with dim=3, got 2"):
        world(3)[0].add(cm.Outlet(at=(0.0, 0.0), normal=(0.0, 1.0)))
