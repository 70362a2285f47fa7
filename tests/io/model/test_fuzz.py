"""Any text gives a model or an error with its location, never another exception."""

import re
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import carom as cm
from carom.io.model.constructor_schema import FAMILIES, SECTIONS, ArgumentKind, constructor_arguments
from carom.io.model.model_reader import read
from carom.model.system import System
from model_examples import planar_system, spatial_system
from quick import examples

PLANAR = planar_system([(0.1, 0.2, 0.3), (0.7, 1 / 3, -0.1), (-0.3, 0.4, 1.0), (1.1, -0.2, 0.0), (0.5, 1.4, -2.0)])
SPATIAL = spatial_system([(0.1 * k, 0.2 * k * k, 1 / (k + 3), 1.0, 0.1 * k, 0.3, 1 / (k + 7)) for k in range(5)])
SMALL = """\
carom: 1
gravity: [0, -9.81]
parameters: {l: 0.2, m: "=2*l"}
bodies:
  crank: {mass: =m, inertia: 1e-3, position: [=l/2, 0]}
  rod: {mass: 1, inertia: 0.1, position: [0.5, 0]}
joints:
  pin: {type: Revolute, a: ground, b: crank, at: [0, 0]}
  motor: {type: Driver, target: pin, motion: "0.1*sin(5*t)"}
forces:
  load: {type: Torque, body: rod, torque: "-0.1*rod.omega + l*t"}
contacts:
  touch:
    shape_a: &ball {type: Sphere, body: crank, radius: 0.1}
    shape_b: {type: Plane, body: ground, at: [0, -1]}
    law: {type: Hertz, stiffness: 1e6}
  again: {shape_a: *ball, shape_b: {type: Sphere, body: rod, radius: 0.2}, impact: {restitution: 0.5}}
start:
  crank: {angle: 0.1}
run: {t_end: 0.1}
"""
PLACE = re.compile(r"<text>:\d+: ", re.DOTALL)
MODEL, LOCATED_ERROR = GOOD = ("a model", "an error with its location")


def outcome(text):
    """Return MODEL, LOCATED_ERROR if an error begins with its location, or another outcome as text."""
    try:
        found = read(text if "\n" in text else text + "\n").system
    except cm.ModelError as error:
        return LOCATED_ERROR if PLACE.match(str(error)) else str(error)
    return MODEL if isinstance(found, (System, cm.GeneralizedSystem)) else repr(found)


def test_valid_text_is_a_model():
    assert outcome(SMALL) == MODEL


words = st.sampled_from([
    "carom", "1", "bodies", "joints", "forces", "contacts", "boundaries", "parameters", "run", "start", "shapes",
    "include",
    "assemble", "name", "dim", "gravity", "type", "mass", "inertia", "position", "a", "b", "at", "ground", "crank",
    "null", "true", "no", "1e6", "-1", ".inf", ".nan", "=1/0", "=9**9**9", "[]", "{}", "[1, 2]", "!!python/object:os",
    "*x", "&x", "<<", "? ", "- ", ": ", "\n", "  ", "#", "'", '"', "|", ">", "%", "---", "...", "\t", "{", "}",
    "[", "]", ",", "@", "`",
])  # fmt: skip


@examples(1000)
@given(st.lists(words | st.text(max_size=4), max_size=30).map("".join))
def test_any_text(text):
    assert outcome(text) in GOOD


@examples(1000)
@given(st.text(max_size=200))
@example("\ud800\n")
@example("\x00\n")
@example("carom: 1\nbodies: {\ufeff: {mass: 1}}\n")
def test_any_characters(text):
    assert outcome(text) in GOOD


scalars = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=6),
    st.sampled_from(["ground", "crank", "rod", "pin", "touch", "=l", "=m*", "=x", "==l", "sin(t)", "t**t", "Sphere"]),
)  # fmt: skip
values = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=6,
)


def written(value):
    """Return a value as YAML on one line."""
    if isinstance(value, list):
        return "[" + ", ".join(map(written, value)) + "]"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{written(str(key))}: {written(entry)}" for key, entry in value.items()) + "}"
    if isinstance(value, str):
        from carom.io.model.yaml_writer import quote_text

        return quote_text(value)
    if value is None:
        return "null"
    return repr(value).lower().replace("inf", ".inf").replace("nan", ".nan")


@examples(1200)
@given(st.integers(0, 10_000), values)
def test_one_replaced_value(place, value):
    """Replace one scalar after a colon or in a list by another value."""
    spots = list(re.finditer(r"(?<=[:\[,] )[^,{}\[\]&*\n]+|\[[^\]]*\]", SMALL))
    spot = spots[place % len(spots)]
    assert outcome(SMALL[: spot.start()] + written(value) + SMALL[spot.end() :]) in GOOD


@examples(1000)
@given(st.integers(0, 10_000), st.integers(0, 40), words | st.text(max_size=3))
def test_one_replaced_substring(place, length, text):
    start = place % len(SMALL)
    assert outcome(SMALL[:start] + text + SMALL[start + length :]) in GOOD


TEXTS = [PLANAR.to_yaml(), SPATIAL.to_yaml()]
LINES = [text.splitlines() for text in TEXTS]


@examples(150)
@given(st.sampled_from(LINES), st.integers(0, 10_000), st.integers(0, 10_000), values)
def test_one_replaced_line(lines, line, spot, value):
    """Replace values of all types of elements."""
    number = line % len(lines)
    found = list(re.finditer(r"(?<=[:\[,] )[^,{}\[\]&*\n]+|\[[^\]]*\]", lines[number]))
    if found:
        place = found[spot % len(found)]
        changed = lines[number][: place.start()] + written(value) + lines[number][place.end() :]
        assert outcome("\n".join([*lines[:number], changed, *lines[number + 1 :]]) + "\n") in GOOD


HEAD = {
    2: "carom: 1\nbodies:\n  a: {mass: 1, inertia: 1}\n  b: {mass: 1, inertia: 1, position: [1, 0]}\n",
    3: "carom: 1\ndim: 3\nbodies:\n  a: {mass: 1, inertia: 1}\n  b: {mass: 1, inertia: 1, position: [1, 0, 0]}\n",
}
FAMILY = {family.name: family for family in (*SECTIONS.values(), *FAMILIES.values())}
SECTION_OF = {family.name: section for section, family in SECTIONS.items()}
small = st.floats(-2.0, 2.0) | st.floats(0.01, 1.0) | st.integers(-2, 3)
points = st.lists(small, min_size=2, max_size=2) | st.lists(small, min_size=3, max_size=3)
names = st.sampled_from(["ground", "a", "b"])
FITTING = {
    ArgumentKind.NUMBER: small | st.floats(0.01, 1.0),
    ArgumentKind.BOOLEAN: st.booleans(),
    ArgumentKind.TEXT: st.sampled_from(
        ["contact", "ignore", "linear", "quadratic", "body", "newton", "x", "angle", "cubic"]
    ),
    ArgumentKind.DATA: points | st.lists(points, min_size=2, max_size=6) | small,
    ArgumentKind.PLAIN: points
    | st.lists(points, min_size=2, max_size=4)
    | st.sampled_from(["open", "pole", [True, False]]),
    ArgumentKind.BODY: names,
    ArgumentKind.BODIES: st.lists(names, max_size=3),
    ArgumentKind.ATTACHMENT: names | points | st.builds(lambda body, at: {"body": body, "at": at}, names, points),
    ArgumentKind.FUNCTION: small
    | points
    | st.sampled_from(["sin(t)", "a.x", "speed", "indentation*rate", "1/s", "length"])
    | st.lists(st.sampled_from(["s", "s*s", "t", "a.omega", "0", "cos(3*s)", "1/t"]), min_size=2, max_size=3),
    ArgumentKind.FILE: st.sampled_from(["none.stl", "../x.stl", ""]),
    ArgumentKind.ELEMENTS: names | st.lists(names, max_size=3),
}


@st.composite
def things(draw, family, word=None):
    """Return a mapping of an object of a family, mostly with valid arguments."""
    word = word or draw(st.sampled_from([*family.constructors]))
    item = {"type": word}
    for key, argument in constructor_arguments(family, word).items():
        if not argument.required and draw(st.booleans()):
            continue
        if draw(st.integers(0, 30)) == 0:
            item[key] = draw(values)
        elif argument.kind == ArgumentKind.OBJECT:
            item[key] = draw(things(argument.family))
        elif argument.kind == ArgumentKind.OBJECTS:
            item[key] = draw(st.lists(things(argument.family), max_size=3))
        else:
            item[key] = draw(FITTING[argument.kind])
    return item


EVERY = [(name, word) for name, family in FAMILY.items() for word in family.constructors]
EVERY.remove(("surface", "FunctionSurface"))
"""All types, except one that is compiled on construction."""


@examples(1200)
@given(st.sampled_from(EVERY), st.data())
def test_any_arguments_of_each_type(entry, data):
    """Build each element, shape, law and motion with arbitrary arguments."""
    name, word = entry
    item = data.draw(things(FAMILY[name], word))
    section = SECTION_OF.get(name, "shapes")
    if name == "surface":
        item = {"type": "Surface", "body": "a", "surface": item}
    elif name == "motion":
        section, item = "joints", {"type": "Driver", "target": "a", "coordinate": "x", "motion": item}
    elif name not in (*SECTION_OF, "shape"):
        ball, floor = {"type": "Sphere", "body": "a", "radius": 0.1}, {"type": "Plane", "body": "ground"}
        section = "contacts"
        item = {"shape_a": ball, "shape_b": floor, "law": {"type": "Hertz", "stiffness": 1e6}, name: item}
    assert outcome(HEAD[data.draw(st.sampled_from([2, 3]))] + f"{section}:\n  it: {written(item)}\n") in GOOD


SWING = """\
carom: 1
lagrangian:
  coordinates: [angle]
  q0: [0.3]
  u0: [0]
  kinetic: 0.5*u0**2
  potential: -9.81*cos(q0)
  gaps: [sin(q0) - 0.1]
  slips: [[cos(q0)]]
  impact: {restitution: 0.5}
  bodies: {bob: {place: [sin(q0), -cos(q0), q0], mass: 1}}
"""
formulas = st.sampled_from([
    "u0", "u0**3", "q0", "t", "sqrt(q0)", "1/0", "0**0", "9**9**9", "floor(exp(exp(9)))", "x", "u0**2*q0/t", "log(q0)",
    "abs(q0)", "min(q0, t)", "0", "", "sin", "q0 if t > 0 else 1", "a.x", "q0**q0", "(-1)**0.5", "1e400",
    "tan(q0)*u0**2",
])  # fmt: skip


@examples(80)
@given(st.integers(0, 1000), formulas | values)
def test_any_values_of_a_lagrangian(place, value):
    spots = list(re.finditer(r"(?<=: |\[\[| \[)[^,{}\[\]\n]+", SWING))[1:]
    spot = spots[place % len(spots)]
    assert outcome(SWING[: spot.start()] + written(value) + SWING[spot.end() :]) in GOOD


# What would do harm.


@pytest.mark.parametrize("text", [
    "carom: !!python/object/apply:os.system ['touch harm']\n",
    "!!python/object/apply:os.system\n- touch harm\n",
    "carom: 1\nbodies: {a: {mass: \"=__import__('os').system('touch harm')\"}}\n",
    "carom: 1\nbodies: {a: {mass: 1}}\nforces: {f: {type: Torque, body: a, torque: \"(lambda: open('harm'))()\"}}\n",
    "carom: 1\nbodies: {a: {mass: 1}}\nforces: {f: {type: Torque, body: a, torque: \"a.__class__\"}}\n",
    "carom: 1\nname: !!binary aGFybQ==\n",
])  # fmt: skip
def test_no_code_is_executed(text, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert outcome(text) == LOCATED_ERROR
    assert not Path("harm").exists()


def test_nested_aliases_raise():
    levels = "".join(f"  p{k}: &p{k} [{', '.join([f'*p{k - 1}'] * 9)}]\n" for k in range(1, 12))
    assert outcome(f"carom: 1\nparameters:\n  p0: &p0 [1, 1]\n{levels}") == LOCATED_ERROR
    text = "carom: 1\nbodies: {a: {mass: 1}}\njoints:\n  j:\n    type: Weld\n    at: &x0 [1, 2]\n"
    text += "".join(f"    k{k}: &x{k} [{', '.join([f'*x{k - 1}'] * 9)}]\n" for k in range(1, 10))
    assert outcome(text.replace("k9", "a")) == LOCATED_ERROR


@pytest.mark.parametrize("text", [
    "[" * 100_000, "{a: " * 10_000, "- " * 10_000, "carom: &x [*x]\n", "carom: &x {a: *x}\n", "a: *nothing\n",
    "carom: 1\nname: " + "x" * 40_000_000, "carom: 1\nbodies: {a: {mass: '=" + "-" * 3900 + "1'}}\n",
    "carom: 1\nbodies: {a: {mass: '=" + "(" * 1900 + "1'}}\n", "carom: 1\nbodies: {a: {mass: " + "9" * 5000 + "}}\n",
    "carom: 1\nbodies: {a: {mass: '=" + "9" * 3000 + "'}}\n", "? [a, b]\n: 1\n", "carom: 1\n---\ncarom: 1\n",
])  # fmt: skip
def test_texts_beyond_the_limits_raise(text):
    assert outcome(text) == LOCATED_ERROR


@pytest.mark.parametrize("name", ["../outside.yaml", "/etc/passwd", "https://a.org/a.yaml", "link/outside.yaml", "."])
def test_files_outside_the_folder_are_not_opened(name, tmp_path):
    (tmp_path / "outside.yaml").write_text("carom: 1\nname: outside\n")
    folder = tmp_path / "models"
    folder.mkdir()
    (folder / "link").symlink_to(tmp_path)
    (folder / "model.yaml").write_text(f"carom: 1\ninclude: {name}\n")
    with pytest.raises(cm.ModelError, match=r"model\.yaml:2: include: "):
        cm.System.from_yaml(folder / "model.yaml")
