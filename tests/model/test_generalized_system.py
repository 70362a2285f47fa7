"""Systems in own coordinates: what they take, what they refuse, and the compiled functions."""

import math
import re

import numba
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from carom.errors import CaromWarning, ModelError
from carom.laws.impact_law import ImpactLaw
from carom.model.generalized_system import GeneralizedSystem
from quick import each

angles = st.lists(st.floats(-3.0, 3.0), min_size=3, max_size=3).map(np.array)
rates = st.lists(st.floats(-200.0, 200.0), min_size=3, max_size=3).map(np.array)
BOUNCE = ImpactLaw(restitution=0.5)
SLIDE = ImpactLaw(restitution=0.5, friction=0.1)
SEEN: list[float] = []

# ---- the slider-crank with clearance of N, section 6, as a user writes it

L1, L2, A, B, D, G = 0.153, 0.306, 0.05, 0.025, 0.052, 9.81
M1, M2, M3, J1, J2, J3 = 0.038, 0.038, 0.076, 7.4e-5, 5.9e-4, 2.7e-6


def mass(q):
    m12 = (0.5 * M2 + M3) * L1 * L2 * math.cos(q[1] - q[0])
    return ((J1 + (0.25 * M1 + M2 + M3) * L1**2, m12, 0.0), (m12, J2 + (0.25 * M2 + M3) * L2**2, 0.0), (0.0, 0.0, J3))


def force(q, u):
    k = (0.5 * M2 + M3) * L1 * L2 * math.sin(q[1] - q[0])
    return (
        k * u[1] ** 2 - (0.5 * M1 + M2 + M3) * G * L1 * math.cos(q[0]),
        -k * u[0] ** 2 - (0.5 * M2 + M3) * G * L2 * math.cos(q[1]),
        0.0,
    )


def gaps(q):
    y = L1 * math.sin(q[0]) + L2 * math.sin(q[1])
    s, c = A * math.sin(q[2]), B * math.cos(q[2])
    return np.array([0.5 * D - y + s - c, 0.5 * D - y - s - c, 0.5 * D + y - s - c, 0.5 * D + y + s - c])


def slips(q):
    x = L1 * math.cos(q[0]) + L2 * math.cos(q[1])
    s, c = B * math.sin(q[2]), A * math.cos(q[2])
    return np.array([x - c - s, x + c - s, x - c + s, x + c + s])


def slider(q):
    return (L1 * math.cos(q[0]) + L2 * math.cos(q[1]), L1 * math.sin(q[0]) + L2 * math.sin(q[1]), q[2])


def directions_of_n(q) -> np.ndarray:
    """N (106)–(114), contact by contact, normal and tangent, with w̃ = 0."""
    s1, s2, s3 = np.sin(q)
    c1, c2, c3 = np.cos(q)
    tangent = (-L1 * s1, -L2 * s2)
    return np.array([
        [-L1 * c1, -L2 * c2, A * c3 + B * s3, 0.0], [*tangent, A * s3 - B * c3, 0.0],
        [-L1 * c1, -L2 * c2, -A * c3 + B * s3, 0.0], [*tangent, -A * s3 - B * c3, 0.0],
        [L1 * c1, L2 * c2, -A * c3 + B * s3, 0.0], [*tangent, A * s3 + B * c3, 0.0],
        [L1 * c1, L2 * c2, A * c3 + B * s3, 0.0], [*tangent, -A * s3 + B * c3, 0.0],
    ])  # fmt: skip


@pytest.fixture(scope="module")
def crank() -> GeneralizedSystem:
    return GeneralizedSystem(
        [0.0, 0.0, 0.0], [150.0, -75.0, 0.0], mass, force, gaps, tangential=slips, impact=ImpactLaw(0.4, 0.01),
        potential=lambda q: G * (0.5 * M1 + M2 + M3) * L1 * math.sin(q[0]) + G * (0.5 * M2 + M3) * L2 * math.sin(q[1]),
        bodies={"slider": (slider, M3, J3)}, coordinates=["crank", "rod", "turn"], name="slider-crank",
    )  # fmt: skip


def test_what_it_knows_of_itself(crank):
    assert (crank.freedom, crank.contact_count, crank.directions, crank.dim) == (3, 4, 2, 2)
    assert crank.q0 == (0.0, 0.0, 0.0)
    assert crank.u0 == (150.0, -75.0, 0.0)
    assert crank.impacts == (ImpactLaw(0.4, 0.01),) * 4
    assert crank.contacts == ("contact 1", "contact 2", "contact 3", "contact 4")
    assert crank.names == ("crank", "rod", "turn", *crank.contacts, "slider")
    assert crank.inertias == {"slider": (M3, J3)}
    assert repr(crank) == "<GeneralizedSystem 'slider-crank': 3 coordinates, 4 contacts>"


@given(q=angles, u=rates)
def test_the_compiled_functions_are_those_of_the_paper(crank, q, u):
    found = crank.compiled()
    assert not any(kernel.slow for kernel in found.user_kernels)
    assert len(found.user_kernels) == 7
    np.testing.assert_allclose(found.mass(0.0, q, u).reshape(3, 3), mass(q), rtol=1e-14)
    np.testing.assert_allclose(found.force(0.0, q, u), force(q, u), rtol=1e-13, atol=1e-14)
    np.testing.assert_allclose(found.gaps(0.0, q, u), gaps(q), rtol=1e-12, atol=1e-15)
    np.testing.assert_allclose(found.directions(0.0, q, u).reshape(8, 4), directions_of_n(q), rtol=1e-13, atol=1e-16)
    np.testing.assert_allclose(found.bodies(0.0, q, u), slider(q), rtol=1e-13, atol=1e-16)


@given(q=angles, u=rates)
def test_the_rates_of_a_body_are_those_of_its_place(crank, q, u):
    table = crank.compiled().body_rates(0.0, q, u).reshape(3, 4)
    s, c = np.sin(q), np.cos(q)
    velocity = [-L1 * s[0] * u[0] - L2 * s[1] * u[1], L1 * c[0] * u[0] + L2 * c[1] * u[1], u[2]]
    np.testing.assert_allclose(table @ np.append(u, 1.0), velocity, rtol=1e-12, atol=1e-12)


@given(q=angles)
def test_the_potential_gives_the_weights_in_the_force(crank, q):
    found = crank.compiled()
    step = 1e-5 * np.eye(3)
    slope = [(found.potential(0.0, q + h, q) - found.potential(0.0, q - h, q))[0] / 2e-5 for h in step]
    np.testing.assert_allclose(found.force(0.0, q, np.zeros(3)), -np.array(slope), atol=1e-9)


# ---- other ways to write the same


def ball(**changes) -> GeneralizedSystem:
    """A disc of radius 0.1 above a table at y = 0, in x, y, angle."""
    settings = {
        "q0": [0.0, 0.5, 0.0],
        "u0": [1.0, 0.0, 0.0],
        "mass": np.diag([2.0, 2.0, 0.01]),
        "force": [0.0, -2.0 * 9.81, 0.0],
        "gaps": lambda q: q[1] - 0.1,
        "impact": BOUNCE,
        "name": "ball",
    }
    return GeneralizedSystem(**(settings | changes))


def test_constants_stand_for_functions():
    found = ball().compiled()
    q = u = np.ones(3)
    assert found.mass(0.0, q, u).tolist() == [2.0, 0.0, 0.0, 0.0, 2.0, 0.0, 0.0, 0.0, 0.01]
    assert found.force(0.0, q, u).tolist() == [0.0, -2.0 * 9.81, 0.0]
    assert found.directions(0.0, q, u).tolist() == [0.0, 1.0, 0.0, 0.0]
    assert found.potential is found.bodies is found.body_rates is None


def test_one_coordinate_may_be_a_plain_number():
    system = GeneralizedSystem(1.0, 0.0, 2.0, lambda q, t: -3.0 * q[0] + t)
    found = system.compiled()
    assert (system.freedom, system.contact_count, system.directions) == (1, 0, 1)
    assert found.mass(0.0, [2.0], [0.0]).tolist() == [2.0]
    assert found.force(0.5, [2.0], [0.0]).tolist() == [-5.5]
    assert found.gaps is found.directions is None


def test_slip_velocities_and_displacements_give_the_same_directions():
    moving = ball(tangential=lambda q, u: u[0] + 0.1 * u[2], impact=SLIDE)
    placed = ball(tangential=lambda q: q[0] + 0.1 * q[2], impact=SLIDE)
    expected = [0.0, 1.0, 0.0, 0.0, 1.0, 0.0, 0.1, 0.0]
    for system in (moving, placed):
        assert system.directions == 2
        np.testing.assert_allclose(system.compiled().directions(0.0, np.ones(3), np.ones(3)), expected, rtol=1e-15)


def test_a_list_has_one_function_for_each_contact():
    walls = (-1.0, 1.0)
    system = ball(
        gaps=[lambda q, w=wall: (q[0] - w) * (-1.0 if w > 0.0 else 1.0) for wall in walls] + [lambda q, t: q[1] - t],
        tangential=[lambda u: u[1], lambda u: u[1], lambda q, t: 2.0 * q[0] + 3.0 * t],
        impact=[BOUNCE, BOUNCE, SLIDE],
        contacts=["left", "right", "floor"],
    )
    found = system.compiled()
    assert system.impacts[2].friction == 0.1
    assert found.gaps(0.25, [0.5, 1.0, 0.0], np.zeros(3)).tolist() == [1.5, 0.5, 0.75]
    expected = [[1, 0, 0, 0], [0, 1, 0, 0], [-1, 0, 0, 0], [0, 1, 0, 0], [0, 1, 0, -1], [2, 0, 0, 3]]
    np.testing.assert_allclose(found.directions(0.25, [0.5, 1.0, 0.0], np.zeros(3)).reshape(6, 4), expected, atol=1e-15)


def test_two_directions_a_contact():
    system = ball(tangential=lambda u: ((u[0], 2.0 * u[2]),), impact=SLIDE)
    assert system.directions == 3
    expected = [[0, 1, 0, 0], [1, 0, 0, 0], [0, 0, 2, 0]]
    assert system.compiled().directions(0.0, np.ones(3), np.ones(3)).reshape(3, 4).tolist() == expected


@pytest.mark.parametrize(
    "form",
    [
        {"gaps": lambda q, t: q[1] - t, "tangential": lambda q, t: q[0] - 2.0 * t},
        {"gaps": [lambda q, t: (q[1] - t,)], "tangential": [lambda u: u[0] - 2.0]},
    ],
    ids=["displacements", "velocities"],
)
def test_jacobians_that_are_given_are_used_and_time_is_differentiated(form):
    """The third columns are not those of the functions: near enough to pass the check, and seen in the result."""
    system = ball(
        **form, gap_jacobian=[[0.0, 1.0, 5e-5]], tangential_jacobian=lambda q: ((1.0, 0.0, 6e-5),), impact=SLIDE
    )
    found = system.compiled().directions(0.3, np.ones(3), np.ones(3)).reshape(2, 4)
    np.testing.assert_allclose(found, [[0.0, 1.0, 5e-5, -1.0], [1.0, 0.0, 6e-5, -2.0]], rtol=1e-10, atol=1e-14)


def test_jacobians_of_lists_of_functions():
    system = ball(
        gaps=[lambda q, t: q[1] - t, lambda q: q[0] + 1.0],
        gap_jacobian=[[0.0, 1.0, 5e-5], [1.0, 0.0, 0.0]],
        tangential_jacobian=[[1.0, 0.0, 0.1], [0.0, 1.0, 0.0]],
        impact=SLIDE,
    )
    found = system.compiled().directions(0.3, np.ones(3), np.ones(3)).reshape(4, 4)
    expected = [[0.0, 1.0, 5e-5, -1.0], [1.0, 0.0, 0.1, 0.0], [1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0]]
    np.testing.assert_allclose(found, expected, rtol=1e-10, atol=1e-14)


def test_a_kink_at_the_start_does_not_contradict_a_jacobian():
    ball(gaps=lambda q: abs(q[0]) + q[1], gap_jacobian=lambda q: ((1.0 if q[0] >= 0.0 else -1.0, 1.0, 0.0),))


def test_a_compiled_function_of_the_users_is_taken_as_it_is():
    gap = numba.njit(lambda q: q[1] - 0.2)
    assert ball(gaps=gap).compiled().gaps(0.0, np.ones(3), np.ones(3)).tolist() == [0.8]


# ---- kept while it stays the same


def test_functions_are_compiled_again_when_a_captured_value_changes():
    level = 0.1

    def gap(q):
        return q[1] - level

    system = ball(gaps=gap)
    first = system.compiled()
    assert system.compiled() is first
    level = 0.3
    assert system.compiled() is not first
    assert first.gaps(0.0, np.ones(3), np.ones(3))[0] == 0.9
    assert system.compiled().gaps(0.0, np.ones(3), np.ones(3))[0] == 0.7
    assert system.compiled().mass is first.mass


def listening(q):
    SEEN.append(q[0])  # what changes a list of the module is not for Numba
    return q[1] - 0.1 if q[1] < 10.0 else math.sqrt(-q[1])


def test_plain_python_runs_with_one_notice_and_keeps_what_it_raises():
    system = ball(gaps=listening)
    with pytest.warns(CaromWarning, match=r"GeneralizedSystem 'ball': Numba cannot compile 'listening'") as notices:
        found = system.compiled()
    assert len(notices) == 1
    assert [kernel.slow for kernel in found.user_kernels] == [False, False, True, True]
    np.testing.assert_allclose(found.directions(0.0, np.ones(3), np.ones(3)), [0.0, 1.0, 0.0, 0.0], atol=1e-10)
    with pytest.raises(ValueError, match="math domain error"):
        found.gaps(0.0, [0.0, 11.0, 0.0], np.ones(3))


def test_a_given_jacobian_serves_plain_python_too():
    def rising(q, t):
        SEEN.append(t)
        return q[0] + 1.0 - t

    system = ball(gaps=[lambda q: q[1] - 0.1, rising], gap_jacobian=[[0.0, 1.0, 5e-5], [1.0, 0.0, 0.0]])
    with pytest.warns(CaromWarning, match="'rising'"):
        found = system.compiled().directions
    assert found.slow
    expected = [0.0, 1.0, 5e-5, 0.0, 1.0, 0.0, 0.0, -1.0]
    np.testing.assert_allclose(found(0.3, np.ones(3), np.ones(3)), expected, rtol=1e-10, atol=1e-14)


# ---- what is refused


def not_a_number(q):
    return (q[1], math.nan)


def strange(q, radius):
    return q[1] - radius


def impure(q):
    q[1] -= 0.1
    return q[1]


TWO = {"gaps": lambda q: (q[1], q[0] + 1.0), "contacts": ["floor", "wall"]}


@each(
    "changes, message",
    [
        ({"q0": []}, "q0 must have at least one coordinate"),
        ({"q0": [0.0, math.nan, 0.0]}, "q0[1] must be finite, got nan"),
        ({"u0": [0.0]}, "u0 must be 3 numbers, got 1"),
        ({"mass": np.eye(2)}, "mass: must return an array (3, 3), got an array (2, 2)"),
        ({"mass": [[1.0, 0.0], [0.0]]}, "mass: must return numbers in equal rows"),
        ({"mass": lambda q: None}, "mass: must return real numbers, got None"),
        ({"mass": np.diag([1.0, 1.0, 0.0])}, "mass must be positive definite, got 0 on its diagonal for 'q3'"),
        ({"mass": [[1.0, 1.0, 0.0], [1.0, 1.0, 0.0], [0.0, 0.0, 2.0]]}, "a motion of 'q1' and 'q2' has no inertia"),
        ({"mass": [[1.0, 0.2, 0.0], [0.1, 1.0, 0.0], [0.0, 0.0, 2.0]]}, "mass must be symmetric, got mass[0, 1] = 0.2"),
        ({"mass": np.diag([1.0, math.inf, 1.0])}, "mass[1, 1] must be finite, got inf"),
        ({"mass": lambda u: np.eye(3)}, "mass: '<lambda>' has the parameter 'u'; allowed are q and t, by these names"),
        ({"force": lambda q: (0.0, 1.0)}, "force: must return 3 numbers, got 2 numbers: (0.0, 1.0)"),
        ({"force": lambda q: (0.0, math.inf, 0.0)}, "force of 'q2' must be finite, got inf"),
        ({"force": lambda q: (1j, 0.0, 0.0)}, "force: must return real numbers"),
        ({"force": lambda *all: (0.0, 0.0, 0.0)}, "has the parameter 'all'; allowed are q, u and t, by these names"),
        ({"force": lambda q: (q[7], 0.0, 0.0)}, "force: '<lambda>' raised IndexError in the initial state"),
        ({"potential": lambda q: (1.0, 2.0)}, "potential: must return a number or 1 number, got 2 numbers"),
        ({"potential": lambda q: math.nan}, "potential must be finite, got nan"),
        ({"gaps": not_a_number}, "gap of 'contact 2' must be finite, got nan"),
        ({"gaps": strange}, "gaps: 'strange' has the parameter 'radius'; allowed are q and t, by these names"),
        ({"gaps": lambda q, u: u[0]}, "has the parameter 'u'; allowed are q and t"),
        ({"gaps": impure}, "gaps: 'impure' raised ValueError in the initial state (q0, u0, t = 0)"),
        ({"gaps": 0.3}, "gaps must be a function or a list of functions, got 0.3"),
        ({"gaps": lambda q: np.eye(3)}, "gaps: must return 3 numbers, got an array (3, 3)"),
        ({"gaps": lambda q: True}, "gaps: must return real numbers, got True"),
        ({"gaps": [lambda q: (q[0], q[1])]}, "gaps[0]: must return a number or 1 number, got 2 numbers"),
        ({"gaps": dict}, "is not a Python function with readable parameters"),
        ({"impact": None}, "impact is missing; set impact=ImpactLaw(restitution=...), or a list of 1"),
        ({"impact": 0.5}, "impact must be one ImpactLaw or a list of 1, got 0.5"),
        (TWO | {"impact": [BOUNCE]}, "impact must be one ImpactLaw or a list of 2"),
        (TWO | {"impact": [BOUNCE, 0.3]}, "impact of 'wall' must be an ImpactLaw, got 0.3"),
        ({"impact": SLIDE}, "'contact 1' has ImpactLaw(restitution=0.5, friction=0.1"),
        ({"impact": ImpactLaw(0.5, 0.0, 0.3)}, "which requires a tangential direction; set tangential="),
        ({"gaps": None}, "impact requires gaps"),
        ({"gaps": None, "impact": None, "tangential": lambda u: u[0]}, "tangential requires gaps"),
        ({"gaps": None, "impact": None, "gap_jacobian": np.eye(3)}, "gap_jacobian requires gaps"),
        ({"tangential": lambda u: (u[0], u[1], u[2])}, "tangential must return 1 numbers or an array (1, 2)"),
        (
            TWO | {"tangential": lambda u: (u[0], u[1], u[2], u[0])},
            "tangential must return 2 numbers or an array (2, 2)",
        ),
        (TWO | {"tangential": [lambda u: (u[0], u[1])]}, "tangential must return 2 numbers or an array (2, 2)"),
        (
            {"tangential": lambda u: u[0] ** 2},
            "tangential '<lambda>' has the argument u, so it must return velocities w·u + w̃ that are",
        ),
        ({"tangential": lambda q: math.inf}, "tangential direction of 'contact 1' must be finite, got inf"),
        (
            {"gap_jacobian": [[0.0, -1.0, 0.0]]},
            "gap_jacobian[0, 1] is -1 in the initial state, but the derivative by 'q2' is",
        ),
        ({"gap_jacobian": [[0.0, 1.0]]}, "gap_jacobian: must return an array (1, 3) or 3 numbers, got an array (1, 2)"),
        (
            {"tangential": lambda u: u[0], "tangential_jacobian": [[2.0, 0.0, 0.0]]},
            "tangential_jacobian[0, 0] is 2 in the initial state",
        ),
        ({"tangential_jacobian": [[2.0, 0.0, math.nan]]}, "tangential_jacobian[0, 2] must be finite, got nan"),
        ({"bodies": ["ball"]}, "bodies must be a dict, name -> function that returns (x, y, angle)"),
        ({"bodies": {"ball": lambda q: (q[0], q[1])}}, "body 'ball': must return 3 numbers, got 2 numbers"),
        ({"bodies": {"ball": (lambda q: q, 2.0)}}, "body 'ball' must be a function, or (function, mass, inertia)"),
        ({"bodies": {"ball": (lambda q: q, -2.0, 0.0)}}, "body 'ball': mass must be positive or zero, got -2"),
        ({"bodies": {"q1": lambda q: q}}, "the name 'q1' is used twice"),
        ({"coordinates": ["x", "y"]}, "coordinates must be 3 names, got ['x', 'y']"),
        ({"coordinates": ["x", "y", ""]}, "coordinates must be non-empty strings, got ''"),
        ({"coordinates": ["x", "y", "x"]}, "the name 'x' is used twice"),
        ({"contacts": "floor"}, "contacts must be 1 names, got 'floor'"),
    ],
)
def test_what_cannot_be_right_is_refused_by_name(changes, message):
    with pytest.raises(ModelError, match=f"GeneralizedSystem 'ball': .*{re.escape(message)}"):
        ball(**changes)


def test_a_system_needs_a_name():
    with pytest.raises(ModelError, match="name must be a non-empty string, got ''"):
        ball(name="")
