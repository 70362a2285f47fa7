"""Systems from energies and gaps as SymPy expressions."""

import math
import re

import numpy as np
import pytest
import sympy as sp
from hypothesis import given
from hypothesis import strategies as st
from sympy.physics.mechanics import dynamicsymbols

from carom.errors import CaromWarning, ModelError
from carom.laws.impact_law import ImpactLaw
from carom.model.generalized_system import GeneralizedSystem
from quick import each

x, y, v, w, m, l, g, k, t = sp.symbols("x y v w m l g k t")
start = {"q0": [0.3], "u0": [0.0]}
two_angles = st.lists(st.floats(-3.0, 3.0), min_size=2, max_size=2).map(np.array)
angles = st.lists(st.floats(-3.0, 3.0), min_size=3, max_size=3).map(np.array)
rates = st.lists(st.floats(-200.0, 200.0), min_size=3, max_size=3).map(np.array)
of = GeneralizedSystem.from_lagrangian

# ---- N, section 6: the slider-crank with clearance

VALUES = {"m1": 0.038, "m2": 0.038, "m3": 0.076, "J1": 7.4e-5, "J2": 5.9e-4, "J3": 2.7e-6,
          "l1": 0.153, "l2": 0.306, "a": 0.05, "b": 0.025, "d": 0.052, "g": 9.81}  # fmt: skip


def slider_crank() -> GeneralizedSystem:
    q, u = sp.symbols("theta1:4"), sp.symbols("omega1:4")
    m1, m2, m3, j1, j2, j3, l1, l2, a, b, d, g = sp.symbols(list(VALUES))
    arm1, arm2 = (sp.Matrix([r * sp.cos(angle), r * sp.sin(angle)]) for r, angle in ((l1, q[0]), (l2, q[1])))
    centres = [arm1 / 2, arm1 + arm2 / 2, arm1 + arm2]
    speeds = [centre.jacobian(q) * sp.Matrix(u) for centre in centres]
    kinetic = sum(m * s.dot(s) + j * w**2 for m, s, j, w in zip((m1, m2, m3), speeds, (j1, j2, j3), u, strict=True)) / 2
    potential = g * sum(m * centre[1] for m, centre in zip((m1, m2, m3), centres, strict=True))
    corners = [(1, 1), (1, -1), (-1, 1), (-1, -1)]
    gaps = [d / 2 - s * (centres[2][1] - e * a * sp.sin(q[2])) - b * sp.cos(q[2]) for s, e in corners]
    slips = [centres[2][0] - e * a * sp.cos(q[2]) - s * b * sp.sin(q[2]) for s, e in corners]
    return of(q, kinetic, potential, gaps, tangential=slips, velocities=u, q0=[0.0, 0.0, 0.0], u0=[150.0, -75.0, 0.0],
              parameters=VALUES, impact=ImpactLaw(0.4, 0.01), bodies={"slider": ((*centres[2], q[2]), 0.076, 2.7e-6)},
              contacts=["top left", "top right", "bottom left", "bottom right"], name="slider-crank")  # fmt: skip


@pytest.fixture(scope="module")
def crank() -> GeneralizedSystem:
    return slider_crank()


@given(q=angles, u=rates)
def test_the_equations_of_the_paper(crank, q, u):
    """N (90)–(97)."""
    m1, m2, m3, j1, j2, j3, l1, l2, _, _, _, g = VALUES.values()
    found, arm, turn = crank.compiled(), (m2 / 2 + m3) * l1 * l2, q[1] - q[0]
    m11, m22, m12 = j1 + (m1 / 4 + m2 + m3) * l1**2, j2 + (m2 / 4 + m3) * l2**2, arm * math.cos(turn)
    h1 = arm * math.sin(turn) * u[1] ** 2 - (m1 / 2 + m2 + m3) * g * l1 * math.cos(q[0])
    h2 = -arm * math.sin(turn) * u[0] ** 2 - (m2 / 2 + m3) * g * l2 * math.cos(q[1])
    expected = [m11, m12, 0.0, m12, m22, 0.0, 0.0, 0.0, j3]
    np.testing.assert_allclose(found.mass(0.0, q, u), expected, rtol=1e-12, atol=1e-17)
    np.testing.assert_allclose(found.force(0.0, q, u), [h1, h2, 0.0], rtol=1e-12, atol=1e-12)
    height = (m1 / 2 + m2 + m3) * l1 * math.sin(q[0]) + (m2 / 2 + m3) * l2 * math.sin(q[1])
    np.testing.assert_allclose(found.potential(0.0, q, u), [g * height], rtol=1e-12, atol=1e-15)


@given(q=angles, u=rates)
def test_the_gaps_and_directions_of_the_paper(crank, q, u):
    """N (98)–(114): the gaps one by one, and for each contact w_N, w_T with w̃ = 0."""
    *_, l1, l2, a, b, d, _ = VALUES.values()
    (s1, s2, s3), (c1, c2, c3) = np.sin(q), np.cos(q)
    rise = l1 * s1 + l2 * s2
    gaps = [d / 2 - rise + a * s3 - b * c3, d / 2 - rise - a * s3 - b * c3,
            d / 2 + rise - a * s3 - b * c3, d / 2 + rise + a * s3 - b * c3]  # fmt: skip
    directions = [
        [-l1 * c1, -l2 * c2, a * c3 + b * s3, 0.0], [-l1 * s1, -l2 * s2, a * s3 - b * c3, 0.0],
        [-l1 * c1, -l2 * c2, -a * c3 + b * s3, 0.0], [-l1 * s1, -l2 * s2, -a * s3 - b * c3, 0.0],
        [l1 * c1, l2 * c2, -a * c3 + b * s3, 0.0], [-l1 * s1, -l2 * s2, a * s3 + b * c3, 0.0],
        [l1 * c1, l2 * c2, a * c3 + b * s3, 0.0], [-l1 * s1, -l2 * s2, -a * s3 + b * c3, 0.0],
    ]  # fmt: skip
    found = crank.compiled()
    np.testing.assert_allclose(found.gaps(0.0, q, u), gaps, rtol=1e-12, atol=1e-15)
    np.testing.assert_allclose(found.directions(0.0, q, u).reshape(8, 4), directions, rtol=1e-12, atol=1e-16)
    place = [l1 * c1 + l2 * c2, rise, q[2]]
    np.testing.assert_allclose(found.bodies(0.0, q, u), place, rtol=1e-12, atol=1e-16)
    velocity = [-l1 * s1 * u[0] - l2 * s2 * u[1], l1 * c1 * u[0] + l2 * c2 * u[1], u[2]]
    table = found.body_rates(0.0, q, u).reshape(3, 4)
    np.testing.assert_allclose(table @ np.append(u, 1.0), velocity, rtol=1e-12, atol=1e-12)


def test_what_the_slider_crank_knows_of_itself(crank):
    assert (crank.freedom, crank.contact_count, crank.directions) == (3, 4, 2)
    assert crank.names == (
        "theta1", "theta2", "theta3", "top left", "top right", "bottom left", "bottom right", "slider",
    )  # fmt: skip
    assert crank.inertias == {"slider": (0.076, 2.7e-6)}
    assert not any(kernel.slow for kernel in crank.compiled().user_kernels)
    assert crank.compiled() is crank.compiled()


def test_squares_of_sine_and_cosine_have_cancelled(crank):
    """The mass matrix is as short as in N (90)–(94): one cosine, the rest constants."""
    source = crank.compiled().mass._interpreted.__doc__
    assert source.count("math.") == 1
    assert source.count("math.cos") == 1


# ---- pendulums


def test_a_pendulum_in_symbols_and_their_rates():
    """θ̈ = −(g/l) sin θ."""
    x_dot = sp.Symbol("x_dot")
    system = of([x], m * (l * x_dot) ** 2 / 2, -m * g * l * sp.cos(x), parameters={m: 2, l: 0.5, "g": 9.81}, **start)
    found = system.compiled()
    assert found.gaps is found.directions is found.bodies is None
    acceleration = found.force(0.0, [0.7], [3.0])[0] / found.mass(0.0, [0.7], [3.0])[0]
    assert acceleration == pytest.approx(-9.81 / 0.5 * math.sin(0.7), rel=1e-15)


def test_a_pendulum_on_a_moving_pivot():
    """Pivot at (A sin Ωt, 0): l θ̈ = −g sin θ + A Ω² sin(Ωt) cos θ; gap and its rate depend on time."""
    theta = dynamicsymbols("theta")
    time, big, fast = dynamicsymbols._t, sp.Rational(1, 10), 7
    pivot = big * sp.sin(fast * time)
    px, py = pivot + l * sp.sin(theta), -l * sp.cos(theta)
    kinetic = m * (px.diff(time) ** 2 + py.diff(time) ** 2) / 2
    values = {m: 2.0, l: 0.5, g: 9.81}
    system = of([theta], kinetic, m * g * py, [1 - px], tangential=[py.diff(time)], parameters=values,
                impact=ImpactLaw(0.5, 0.1), bodies={"bob": (px, py, theta)}, **start)  # fmt: skip
    assert system.coordinates == ("theta",)
    found = system.compiled()
    for moment, q, u in ((0.0, 0.4, 1.0), (0.3, -1.2, 5.0), (2.0, 2.2, -3.0)):
        at = moment, [q], [u]
        acceleration = found.force(*at)[0] / found.mass(*at)[0]
        driven = 0.1 * 49.0 * math.sin(7.0 * moment) * math.cos(q)
        assert acceleration == pytest.approx((-9.81 * math.sin(q) + driven) / 0.5, rel=1e-13)
        rate = 0.7 * math.cos(7.0 * moment)
        expected = [-0.5 * math.cos(q), -rate, 0.5 * math.sin(q), 0.0]
        np.testing.assert_allclose(found.directions(*at), expected, rtol=1e-14, atol=1e-16)
        np.testing.assert_allclose(found.gaps(*at), 1.0 - 0.1 * math.sin(7.0 * moment) - 0.5 * math.sin(q), rtol=1e-14)
        expected = [0.5 * math.cos(q), rate, 0.5 * math.sin(q), 0.0, 1.0, 0.0]
        np.testing.assert_allclose(found.body_rates(*at), expected, rtol=1e-14, atol=1e-16)


@pytest.fixture(scope="module")
def double_pendulum() -> GeneralizedSystem:
    one, two = dynamicsymbols("one two")
    m1, m2, l1, l2, g, c = sp.symbols("m1 m2 l1 l2 g c")
    time = dynamicsymbols._t
    x1, y1 = l1 * sp.sin(one), -l1 * sp.cos(one)
    x2, y2 = x1 + l2 * sp.sin(two), y1 - l2 * sp.cos(two)
    kinetic = m1 * (x1.diff(time) ** 2 + y1.diff(time) ** 2) / 2 + m2 * (x2.diff(time) ** 2 + y2.diff(time) ** 2) / 2
    potential = g * (m1 * y1 + m2 * y2)
    values = {m1: 1.3, m2: 0.7, l1: 0.9, l2: 1.1, g: 9.81, c: 0.25}
    return of([one, two], kinetic, potential, forces=[-c * one.diff(time), 0], parameters=values,
              q0=[0.1, 0.2], u0=[0.0, 0.0])  # fmt: skip


@given(q=two_angles, u=two_angles)
def test_the_double_pendulum(double_pendulum, q, u):
    """The textbook's explicit accelerations, with damping c θ̇₁ at the first joint left out and then added to h."""
    m1, m2, l1, l2, g, c = 1.3, 0.7, 0.9, 1.1, 9.81, 0.25
    found, (a, b), (p, r) = double_pendulum.compiled(), q, u
    mass = found.mass(0.0, q, u).reshape(2, 2)
    force = found.force(0.0, q, u) + np.array([c * p, 0.0])
    bottom = 2.0 * m1 + m2 - m2 * math.cos(2.0 * (a - b))
    first = (-g * (2.0 * m1 + m2) * math.sin(a) - m2 * g * math.sin(a - 2.0 * b)
             - 2.0 * math.sin(a - b) * m2 * (r * r * l2 + p * p * l1 * math.cos(a - b))) / (l1 * bottom)  # fmt: skip
    second = (2.0 * math.sin(a - b) * (p * p * l1 * (m1 + m2) + g * (m1 + m2) * math.cos(a)
              + r * r * l2 * m2 * math.cos(a - b))) / (l2 * bottom)  # fmt: skip
    np.testing.assert_allclose(np.linalg.solve(mass, force), [first, second], rtol=1e-11, atol=1e-11)


# ---- gaps and slips of other kinds


def test_two_directions_and_velocities_among_displacements():
    """A ball rolling on a plate that moves: slips as pairs of a displacement and of a velocity."""
    system = of([x, y], m * (v**2 + w**2) / 2, 0, [1 - x, 2 + y], tangential=[(y, x * v + t**2), (x - 3 * t, 5 * w)],
                velocities=[v, w], parameters={m: 1.0}, time=t, impact=ImpactLaw(0.5, 0.1),
                q0=[0.0, 0.0], u0=[0.0, 0.0])  # fmt: skip
    assert system.directions == 3
    rows = system.compiled().directions(2.0, [0.7, 0.1], [3.0, 4.0]).reshape(6, 3)
    expected = [[-1, 0, 0], [0, 1, 0], [0.7, 0, 4], [0, 1, 0], [1, 0, -3], [0, 5, 0]]
    np.testing.assert_allclose(rows, expected, rtol=1e-15)


def test_branches_and_corners_are_compiled():
    gaps = [sp.Abs(x), sp.Max(x, 2 * x), sp.Piecewise((x**3, x < 0), (sp.sqrt(x), True)), sp.sign(x) * x,
            sp.Heaviside(x) * x + x**2.0]  # fmt: skip
    system = of([x], v**2 / 2, 0, gaps, velocities=[v], impact=ImpactLaw(0.5), **start)
    found = system.compiled()
    assert not found.directions.slow
    np.testing.assert_allclose(found.gaps(0.0, [-2.0], [0.0]), [2.0, -2.0, -8.0, 2.0, 4.0], rtol=1e-15)
    np.testing.assert_allclose(found.directions(0.0, [-2.0], [0.0])[::2], [-1.0, 1.0, 12.0, -1.0, -4.0], rtol=1e-15)
    np.testing.assert_allclose(found.directions(0.0, [4.0], [0.0])[::2], [1.0, 2.0, 0.25, 1.0, 9.0], rtol=1e-15)


def test_what_numba_does_not_know_runs_as_python():
    system = of([x], v**2 / 2, 0, forces=[sp.factorial(3 + sp.floor(x))], velocities=[v], **start)
    with pytest.warns(CaromWarning, match=r"GeneralizedSystem\.from_lagrangian: Numba cannot compile"):
        found = system.compiled()
    assert found.force(0.0, [1.2], [0.0]).tolist() == [24.0]


def test_decimal_numbers_keep_all_their_digits():
    third = 1.0 / 3.0
    system = of([x], third * v**2 / 2, third * k * x, velocities=[v], parameters={k: math.pi}, **start)
    found = system.compiled()
    assert found.mass(0.0, [0.0], [0.0])[0] == third
    assert found.force(0.0, [0.0], [0.0])[0] == pytest.approx(-third * math.pi, rel=1e-16)


def test_symbols_of_the_users_may_have_our_names():
    """Symbols called q0, u0 and x0 as in the code that is written, in another order."""
    q0, q1, u0, u1, x0 = sp.symbols("q0 q1 u0 u1 x0", real=True)
    system = of([q1, q0], x0 * u1**2 / 2 + 3 * x0 * u0**2 / 2, 5 * q1**2 + 7 * q0, velocities=[u1, u0],
                parameters={x0: 2.0}, q0=[1.0, 2.0], u0=[0.0, 0.0])  # fmt: skip
    found = system.compiled()
    assert found.mass(0.0, [1.0, 2.0], [0.0, 0.0]).tolist() == [2.0, 0.0, 0.0, 6.0]
    assert found.force(0.0, [3.0, 2.0], [0.0, 0.0]).tolist() == [-30.0, -7.0]
    with pytest.raises(ModelError, match="potential has unknown symbols 'q0'"):
        of([q1], u1**2 / 2, q0, velocities=[u1], **start)


# ---- what is refused

T, V = m * v**2 / 2, k * x**2 / 2
KNOWN = {"velocities": [v], "parameters": {m: 1.0, k: 2.0}, "name": "spring"}


@each(
    "changes, message",
    [
        ({"parameters": {m: 1.0}}, "potential has unknown symbols 'k'; define them in parameters"),
        ({"parameters": {}}, "kinetic has unknown symbols 'm'"),
        ({"velocities": None}, "kinetic has unknown symbols 'v'"),
        ({"velocities": [v, w]}, "velocities must be 1 symbols"),
        ({"coordinates": [3]}, "coordinates must be SymPy symbols or dynamicsymbols"),
        ({"coordinates": []}, "coordinates must be SymPy symbols or dynamicsymbols"),
        ({"kinetic": m * v**3}, "kinetic must be quadratic in the velocities"),
        ({"kinetic": 0}, "mass must be positive definite, got 0 on its diagonal for 'x'"),
        ({"kinetic": "m v v"}, "kinetic must be a SymPy expression, got 'm v v'"),
        ({"kinetic": sp.Matrix([v])}, "kinetic must be a SymPy expression"),
        ({"potential": dynamicsymbols("z")}, "potential has unknown symbols 't', 'z(t)'"),
        ({"potential": sp.besselj(2, x)}, "force contains 'besselj"),
        ({"potential": sp.log(x - 1)}, "potential: 'expression' raised ValueError in the initial state"),
        ({"forces": [1, 2]}, "forces must be 1 expressions, got 2"),
        ({"gaps": [x * v]}, "gaps[0] must not contain velocities"),
        ({"gaps": [x + l]}, "gaps[0] has unknown symbols 'l'"),
        ({"gaps": [x]}, "impact is missing"),
        (
            {"gaps": [x, 1 - x], "tangential": [x]},
            "tangential must be 2 expressions, one per gap, or as many pairs, got [1]",
        ),
        ({"gaps": [x], "tangential": [v**2]}, "tangential[0] must be linear in the velocities"),
        ({"gaps": [x], "impact": ImpactLaw(0.5, 0.1)}, "which requires a tangential direction; set tangential="),
        ({"bodies": {"bob": (x, 0)}}, "body 'bob' must be (x, y, angle)"),
        ({"parameters": {m: math.nan, k: 1.0}}, "parameter 'm' must be finite, got nan"),
    ],
)
def test_what_cannot_be_right_is_refused_by_name(changes, message):
    arguments = {"coordinates": [x], "kinetic": T, "potential": V, **KNOWN, **start} | changes
    with pytest.raises(ModelError, match=f"GeneralizedSystem 'spring': .*{re.escape(message)}"):
        of(**arguments)


def test_second_derivatives_in_an_energy_are_refused():
    z = dynamicsymbols("z")
    with pytest.raises(ModelError, match=r"kinetic has unknown symbols 'Derivative\(z\(t\), \(t, 2\)\)'"):
        of([z], z.diff(dynamicsymbols._t, 2), 0, **start)
