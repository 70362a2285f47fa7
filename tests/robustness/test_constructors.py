"""Whatever a constructor is given: an object, or an error that says what would be right; never anything else."""

import inspect
import itertools
import warnings

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import carom as cm
from carom.argument_checks import MAX_REPR, boolean, finite_float, integer, one_of, short_repr, unit_vector, vector
from carom.gallery import CASES
from carom.io.model.constructor_schema import FAMILIES, SECTIONS, ArgumentKind, constructor_arguments
from carom.laws.materials import Material
from quick import examples

HUGE = 10**5000
"""Python refuses to write so many digits."""
LONGEST_MESSAGE = 2500

junk = st.sampled_from([
    None, True, 0, -1, 3, 10**400, -(10**400), HUGE, 2**63, 1e308, -1e308, 1e-308, 5e-324, np.nan, np.inf, -np.inf, "",
    "x", "1e5", "nan", "\ud800", "a" * 300, b"x", [], (), {}, [1], [1, 2], (0, 0, 0), [[1, 2], [3, 4]], [None, None],
    ["a", "b"], {"a": 1}, {1, 2}, object, len, np.zeros(0), np.zeros(2), np.ones((3, 3)), np.array(["a"]),
    np.array(1.0), 1j, np.full((2, 2), np.nan), (1e308, 1e308, 1e308), (1e-308, 0, 0), [10**400, 1], [HUGE, 1, 1],
    "9**9**9", "(" * 200, range(0), [[1], [1, 2]], (10**9, 10**9), 10**9,
])  # fmt: skip
small = st.sampled_from([0.1, 0.5, 1.0, 2.0, -0.3, 1e-3, 1e6, 3])
points = st.sampled_from([(0.1, 0.2), (0.3, -0.2, 1.0), (0.0, 1.0), (1.0, 0.0, 0.0)])
lists = st.lists(points, max_size=5) | st.just([[0.1 * i * j for i in range(5)] for j in range(5)])
FITTING = {
    ArgumentKind.NUMBER: small,
    ArgumentKind.BOOLEAN: st.booleans(),
    ArgumentKind.TEXT: st.sampled_from(["contact", "linear", "body", "x", "angle", "newton", "cubic"]),
    ArgumentKind.DATA: points | lists | small,
    ArgumentKind.PLAIN: points | lists | small,
    ArgumentKind.FUNCTION: small | points | st.sampled_from(["sin(t)", "t", ["s", "s"]]),
    ArgumentKind.FILE: st.just("none.stl"),
}


def scene(dim):
    system = cm.System(dim=dim)
    for k, name in enumerate("ab"):
        system.add(cm.Body(name, mass=1.0, inertia=1.0, position=(float(k),) + (0.0,) * (dim - 1)))
    return system


def tried(maker, /, *values, **parameters):
    """Return the object, or None if it is rejected; the error must be one readable sentence."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return maker(*values, **parameters)
        except cm.ModelError as error:
            message = str(error)
    assert 0 < len(message) < LONGEST_MESSAGE
    return None


@st.composite
def made(draw, family, word, system):
    """An object of a family with arguments of which some are anything; None where it is refused."""
    values, spread = {}, []
    for key, argument in constructor_arguments(family, word).items():
        if not argument.required and draw(st.booleans()):
            continue
        if draw(st.integers(0, 3)) == 0:
            value = draw(junk)
        elif argument.kind in (ArgumentKind.OBJECT, ArgumentKind.OBJECTS):
            inside = [name for name in argument.family.constructors if name != "FunctionSurface"]
            value = draw(made(argument.family, draw(st.sampled_from(inside)), system))
            value = [value] if argument.kind == ArgumentKind.OBJECTS else value
        elif argument.kind in (ArgumentKind.BODY, ArgumentKind.ATTACHMENT):
            value = draw(st.sampled_from([system.ground, *system.bodies]))
        elif argument.kind in (ArgumentKind.BODIES, ArgumentKind.ELEMENTS):
            value = draw(st.lists(st.sampled_from([system.ground, *system.bodies]), max_size=3))
        else:
            value = draw(FITTING[argument.kind])
        if argument.variadic:
            spread = value if isinstance(value, list) else [value]
        else:
            values[key] = value
    return tried(family.constructors[word], *spread, **values)


EVERY = [(family, word) for family in (*FAMILIES.values(), *SECTIONS.values()) for word in family.constructors]
EVERY = [(family, word) for family, word in EVERY if (family.name, word) != ("surface", "FunctionSurface")]
"""But for what is compiled when it is made."""


@settings(examples(1000), suppress_health_check=list(HealthCheck))
@given(st.sampled_from(EVERY), st.sampled_from([2, 3]), st.data())
def test_any_arguments_of_everything(entry, dim, data):
    family, word = entry
    system = scene(dim)
    item = data.draw(made(family, word, system))
    if item is not None and family.name in ("joint", "force", "contact"):
        tried(system.add, item)


@examples(600)
@given(st.data())
def test_bodies_systems_and_materials(data):
    body = {"mass": 1.0, "inertia": 1.0, "position": (0.0, 0.0), "velocity": (0.0, 0.0), "angle": 0.1}
    changed = data.draw(st.dictionaries(st.sampled_from([*body]), junk, max_size=3))
    tried(cm.Body, data.draw(st.just("c") | junk), **{**body, **changed})
    tried(cm.System, **data.draw(st.dictionaries(st.sampled_from(["dim", "gravity", "name"]), junk, max_size=3)))
    tried(Material, "m", *(data.draw(small | junk) for _ in range(3)))
    tried(cm.hertz_stiffness, *(data.draw(small | junk) for _ in range(2)))
    tried(scene(2).add, data.draw(junk))
    tried(cm.Marker, data.draw(st.just(scene(3).ground) | junk), data.draw(junk))


@examples(400)
@given(junk | st.just("k*t"), junk, st.dictionaries(st.sampled_from(["k", "t", "if", "a b"]), junk, max_size=2))
def test_formulas(text, names, parameters):
    tried(cm.expression, text, names, **parameters)


@pytest.mark.parametrize("text", [
    "9**9**9**9*t", "t+" * 5_000_000 + "t", "(" * 1000 + "t" + ")" * 1000, "-" * 3000 + "t", "t" + "+t" * 1900,
    "().__class__", "__import__('os')", "[t for t in t]", "t if t else", "lambda: t", "t.__class__", "f'{t}'",
    "9" * 3999,
])  # fmt: skip
def test_formulas_that_are_too_much(text):
    """Refused, or a function that is only slow to write down."""
    made = tried(cm.expression, text)
    assert made is None or text.startswith("9**9")


def test_a_formula_of_endless_parts_is_refused():
    with pytest.raises(cm.ModelError, match="1 to 1000 formulas, got more"):
        cm.expression(itertools.repeat("t"))


CHEAP = ("pendulum", "double_pendulum", "chain", "spring_pendulum", "slider_crank", "four_bar", "parallelogram",
         "n_four_bar", "two_spheres", "slider_crank_block", "falling_ball", "pendulum_wall", "bouncing_ball",
         "newtons_cradle", "stick_slip", "rocking_block", "dominoes", "funnel", "spinning_top",
         "drop_test", "bumper")  # fmt: skip
"""Cases that compile nothing when they are made."""


@settings(examples(300), suppress_health_check=list(HealthCheck))
@given(st.sampled_from(CHEAP), st.data())
def test_parameters_of_cases(name, data):
    given = inspect.signature(CASES[name]).parameters
    sizes = st.sampled_from([1e200, 1e-200, -1.0, 10**9, 10**12, 0.3])
    tried(CASES[name], **data.draw(st.dictionaries(st.sampled_from([*given] or ["none"]), junk | sizes, max_size=3))
          if given else {})  # fmt: skip


@pytest.mark.parametrize(("name", "parameters"), [
    ("chain", {"links": 10**9}), ("newtons_cradle", {"balls": 10**9}), ("dominoes", {"count": 10**9}),
    ("n_four_bar", {"n": 10**9}), ("box_of_spheres", {"balls": 10**9}), ("cup_and_marble", {"points": 10**9}),
    ("pendulum", {"length": 1e-200, "inertia": 0.0}), ("falling_ball", {"height": 1e-10}),
    ("two_spheres", {"law": []}), ("pendulum_wall", {"onset": np.zeros(2)}),
])  # fmt: skip
def test_cases_that_are_too_much(name, parameters):
    with pytest.raises(cm.ModelError, match=name):
        CASES[name](**parameters)


def test_values_are_shown_short():
    assert short_repr(1.5) == "1.5"
    assert short_repr(HUGE) == "a int too large to show"
    assert len(short_repr(list(range(10**5)))) == MAX_REPR


@pytest.mark.parametrize(("check", "values", "message"), [
    (finite_float, (10**400,), "o: x must be finite, got a whole number beyond 1e308"),
    (vector, (itertools.count(), 2), "o: x must be 2 numbers, got more"),
    (vector, (np.array(1.0), 2), "o: x must be 2 numbers"),
    (vector, ([1, 2, 3, 4], 2), "o: x must be 2 numbers, got 4"),
    (boolean, (2,), "o: x must be True or False, got 2"),
    (boolean, (np.zeros(2),), "o: x must be True or False"),
    (integer, (2.0, 1, 5), "o: x must be a whole number from 1 to 5, got 2.0"),
    (integer, (True, 1, 5), "o: x must be a whole number from 1 to 5, got True"),
    (finite_float, ("1.0",), "o: x must be a number, got '1.0'"),
    (finite_float, (True,), "o: x must be a number, got True"),
    (finite_float, (np.complex128(1),), "o: x must be a number, got np.complex128(1+0j)"),
    (vector, ({1.0, 2.0}, 2), "o: x must be 2 numbers, got {1.0, 2.0}"),
    (vector, ({1.0: 1, 2.0: 2}, 2), "o: x must be 2 numbers, got {1.0: 1, 2.0: 2}"),
    (one_of, ("abb", ("abba", "c")), "o: x must be one of 'abba', 'c', got 'abb'; did you mean 'abba'?"),
    (one_of, (np.zeros(2), ("a", "b")), "o: x must be one of 'a', 'b'"),
])  # fmt: skip
def test_checks(check, values, message):
    with pytest.raises(cm.ModelError) as caught:
        check("o", "x", *values)
    assert str(caught.value).startswith(message)


@pytest.mark.parametrize("parts", [(1e308, 1e308, 1e308), (3e-320, 0.0, 0.0)])
def test_directions_of_any_length(parts):
    assert np.linalg.norm(unit_vector("o", "x", parts, 3)) == pytest.approx(1.0, abs=1e-12)


@pytest.mark.parametrize("name", [np.array(["a", "b"]), 3, "", [], b"x"])
def test_names_of_elements(name):
    system = scene(2)
    makers = [
        lambda: cm.Weld(*system.bodies, name=name), lambda: cm.Revolute(*system.bodies, at=(0.0, 0.0), name=name),
        lambda: cm.Torque(system.bodies[0], 1.0, name=name),
        lambda: cm.Contact(
            cm.Sphere(system.bodies[0], 0.1), cm.Plane(system.ground), impact=cm.ImpactLaw(0.5), name=name
        ),
        lambda: cm.SpringDamper(*system.bodies, stiffness=1.0, name=name),
    ]  # fmt: skip
    for make in makers:
        with pytest.raises(cm.ModelError, match="name must be"):
            make()


def test_what_stays_in_an_assembly_is_a_list():
    for keep in (1, "a", {1, 2}, None):
        with pytest.raises(cm.ModelError, match="keep must be a list such as"):
            scene(2).assemble(keep)


@pytest.mark.parametrize("name", ["x" * 300, "\ud800", "a/" * 3000 + "x", b"x", None])
def test_names_that_no_file_has(name, tmp_path, monkeypatch):
    """In every place that reads or writes a file."""
    monkeypatch.chdir(tmp_path)
    body = cm.Body("a", 1.0, 1.0, position=(0.0, 0.0, 0.0))
    requests = [cm.load, cm.resume, cm.System.from_urdf, cm.System.from_yaml]
    requests += [lambda path: scene(2).to_yaml(path or 1), lambda path: cm.Mesh(body, path or 1)]
    requests.append(lambda path: cm.Surface(body, path))
    for request in requests:
        with pytest.raises(cm.ModelError):
            request(name)
    assert list(tmp_path.iterdir()) == []


class Endless:
    """A list that claims three items and never ends."""

    def __len__(self):
        return 3

    def __iter__(self):
        return itertools.repeat(1.0)


class Unspeakable:
    def __repr__(self):
        raise RuntimeError("no words")


@pytest.mark.parametrize("value", [Endless(), 3, None, Unspeakable()])
def test_lists_without_end_and_what_is_no_list(value):
    body = scene(3).bodies[0]
    with pytest.raises(cm.ModelError, match=r"position|at must be"):
        body.marker(value if value is not None else 1.0)
    with pytest.raises(cm.ModelError, match="inertia"):
        cm.Body("c", 1.0, inertia=value if value != 3 else "x")
    with pytest.raises(cm.ModelError, match="shapes must"):
        scene(3).add_contacts(value, law=cm.laws.Hertz(1e6))


@pytest.mark.parametrize("value", [[], 3, Unspeakable(), np.zeros(2)])
def test_what_is_not_in_a_system(value):
    with pytest.raises(cm.ModelError, match="has no"):
        scene(2)[value]
    with pytest.raises(cm.ModelError, match="set_state requires a result"):
        scene(2).set_state(value)


def test_lists_that_claim_to_be_huge_are_not_made():
    """A range says how long it is without having its numbers."""
    huge, body = range(10**9), scene(3).bodies[0]
    for make in (
        lambda: cm.Mesh(body, vertices=huge, faces=huge), lambda: cm.Curve(body, huge),
        lambda: cm.Body("c", 1.0, orientation=huge), lambda: cm.laws.Hertz(1e6).force(huge),
    ):  # fmt: skip
        with pytest.raises(cm.ModelError, match=r"must (have at most|be)"):
            make()
