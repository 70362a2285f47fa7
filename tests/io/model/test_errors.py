"""Error messages of model files: file, line, path and advice."""

import os
from itertools import pairwise

import pytest

import carom as cm
from carom.io.model import object_builder
from carom.io.model.model_reader import parameter_names, read
from quick import each

TEXT = """\
carom: 1
name: crank
parameters:
  length: 0.2
  half: =length/2
bodies:
  crank:
    mass: 0.5
    inertia: 1e-3
    position: [=half, 0]
  rod: {mass: 1, inertia: 0.1, position: [0.5, 0]}
joints:
  pin: {type: Revolute, a: ground, b: crank, at: [0, 0]}
  motor: {type: Driver, target: pin, motion: {type: SineMotion, amplitude: 1, frequency: 2}}
forces:
  drag: {type: Torque, body: rod, torque: "-0.1*rod.omega + length*t"}
contacts:
  touch:
    shape_a: {type: Sphere, body: crank, radius: 0.1}
    shape_b: {type: Plane, body: ground, at: [0, -1]}
    law: {type: Hertz, stiffness: 1e6}
run: {t_end: 0.1}
"""


def message(text):
    with pytest.raises(cm.ModelError) as caught:
        cm.System.from_yaml(text)
    return str(caught.value)


@pytest.mark.parametrize(("right", "wrong", "expected"), [
    ("mass: 0.5", "mass: -1", "<text>:8: bodies.crank.mass: must be positive or zero, got -1"),
    ("mass: 0.5", "mass: heavy", "<text>:8: bodies.crank.mass: must be a number, got 'heavy'"),
    ("mass: 0.5", "mass: yes", "<text>:8: bodies.crank.mass: must be a number, got 'yes'"),
    ("mass: 0.5", "mass: true", "<text>:8: bodies.crank.mass: must be a number, got True"),
    ("mass: 0.5", "mas: 0.5", "<text>:8: bodies.crank.mas: unknown key; did you mean mass?"),
    ("    mass: 0.5\n", "", "<text>:7: bodies.crank: a body requires mass"),
    ("[=half, 0]", "[=half, 0, 1, 2]", "<text>:10: bodies.crank.position: must be 2 numbers, got 4: [0.1, 0, 1, 2]"),
    ("[=half, 0]", "[=hlf, 0]", "<text>:10: bodies.crank.position[0]: the formula 'hlf' has the unknown name 'hlf'"),
    ("=length/2", "=length/0",
     "<text>:5: parameters.half: the formula 'length/0' has no value: float division by zero"),
    ("length: 0.2", "length: .inf", "<text>:4: parameters.length: must be finite, got inf"),
    ("length: 0.2", "sin: 0.2",
     "<text>:4: parameters.sin: invalid name of a parameter; use letters, digits and _, not the name of a function"),
    ("b: crank", "b: crnk", "<text>:13: joints.pin.b: 'crnk': unknown body; did you mean crank?"),
    ("Revolute", "Revolut", "<text>:13: joints.pin.type: 'Revolut': unknown joint; did you mean Revolute?"),
    ("amplitude: 1, ", "", "<text>:14: joints.motor.motion: SineMotion requires amplitude"),
    ("rod.omega", "rod.omga", "<text>:16: forces.drag.torque: rod.omga: unknown state; did you mean omega?"),
    ("rod.omega", "rood.omega", "<text>:16: forces.drag.torque: 'rood': unknown body; did you mean rod?"),
    ("length*t", "length*x",
     "<text>:16: forces.drag.torque: the formula '-0.1*rod.omega + length*x' has the unknown name 'x'; known are t"),
    ("radius: 0.1", "radius: 0", "<text>:19: contacts.touch.shape_a.radius: must be positive, got 0"),
    ("stiffness: 1e6", "stiffness: -1e6", "<text>:21: contacts.touch.law.stiffness: must be positive, got -1e+06"),
    ("    law: {type: Hertz, stiffness: 1e6}\n", "",
     "<text>:18: contacts.touch: Contact 'touch': set law= for compliant runs, impact= for non-smooth ones, or both"),
    ("{t_end: 0.1}", "{tend: 0.1}", "<text>:22: run.tend: unknown option; did you mean t_end?"),
    ("{t_end: 0.1}", "{t_end: 0.1, output: run.h5}", "<text>:22: run.output: must be a number, got 'run.h5'"),
    ("bodies:", "bodys:", "<text>:6: bodys: unknown section; did you mean bodies?"),
    ("carom: 1", "carom: 2", "<text>:1: carom: format version must be 1, got 2"),
    ("carom: 1\n", "", "<text>:1: the version of the format is missing; add carom: 1"),
    ("  rod:", "  crank:", "<text>:11: key 'crank' is repeated; it is already in line 7"),
    ("name: crank", "name: [", "<text>:4: invalid YAML: did not find expected ',' or ']'"),
    ("name: crank", "name: !!str crank", "<text>:2: tags are not allowed in model files, got 'tag:yaml.org,2002:str'"),
    ("name: crank", "dim: 4", "<text>:2: dim: must be 2 (planar) or 3 (spatial), got 4"),
    ("  rod:", "  ground:",
     "<text>:11: bodies.ground: System 'crank': the name 'ground' is used by <ground>; choose a different name"),
    ("joints:\n", "joints: [1]\nforces2:\n", "<text>:13: forces2: unknown section; did you mean forces?"),
    ("forces:\n", "forces: 3\nstart:\n", "<text>:15: forces: must be a mapping, got 3"),
])  # fmt: skip
def test_errors_name_location_and_problem(right, wrong, expected):
    assert right in TEXT
    assert message(TEXT.replace(right, wrong, 1)) == expected


def test_scalars_are_read_as_in_yaml_1_2():
    text = TEXT.replace("crank", "no").replace("rod", "on").replace("mass: 0.5", "mass: 1e6")
    system = cm.System.from_yaml(text)
    assert [body.name for body in system.bodies] == ["no", "on"]
    assert system["no"].mass == 1e6
    assert system["pin"].members[1] is system["no"]
    assert cm.System.from_yaml("carom: 1\nname: '12'\nbodies: {1e3: {mass: 010}}\n")["1e3"].mass == 10.0


def test_parameters_are_replaced():
    assert parameter_names(TEXT) == ("length", "half")
    assert cm.System.from_yaml(TEXT, length=0.8)["crank"].position == (0.4, 0.0)
    assert cm.System.from_yaml(TEXT, half=1.0)["crank"].position == (1.0, 0.0)
    assert read(TEXT).run == {"t_end": 0.1}
    with pytest.raises(cm.ModelError, match=r"parameters\.lenth: unknown parameter; did you mean length\?"):
        cm.System.from_yaml(TEXT, lenth=0.8)
    with pytest.raises(cm.ModelError, match=r"parameters\.length: must be a number, got 'long'"):
        cm.System.from_yaml(TEXT, length="long")


def test_double_equals_sign_escapes_a_text():
    force = "{type: PointForce, at: ==b, force: [1, 2]}"
    system = cm.System.from_yaml(f"carom: 1\nname: ==A\nbodies: {{=b: {{mass: 1}}}}\nforces: {{f: {force}}}\n")
    assert system.name == "=A"
    assert system.forces[0].members[0].name == "=b"
    assert cm.System.from_yaml(system.to_yaml()).to_yaml() == system.to_yaml()


def test_assembly_in_a_file():
    text = TEXT.replace("run:", "assemble: {keep: [[crank, angular_velocity]]}\nrun:")
    text = text.replace("inertia: 1e-3", "inertia: 1e-3\n    angular_velocity: 3")
    text = text.replace("amplitude: 1", "amplitude: 0")
    assert "no velocities satisfy 'motor'" in message(text)
    text = text.replace(
        "  motor: {type: Driver, target: pin, motion: {type: SineMotion, amplitude: 0, frequency: 2}}\n", ""
    )
    assert cm.System.from_yaml(text)["crank"].velocity == pytest.approx((0.0, 0.3))


# Includes.


@pytest.fixture
def folder(tmp_path):
    def write(**files):
        for name, text in files.items():
            path = tmp_path / f"{name.replace('__', '/')}.yaml"
            path.parent.mkdir(exist_ok=True)
            path.write_text(text)
        return tmp_path / "model.yaml"

    return write


def test_included_files_are_merged(folder):
    path = folder(
        model="carom: 1\ninclude: [parts/bodies.yaml, steel.yaml]\nparameters: {m: 3}\njoints:\n"
        "  pin: {type: Revolute, a: ground, b: crank, at: [0, 0]}\n",
        parts__bodies="parameters: {m: 2, n: =m/2}\nbodies:\n  crank: {mass: =m, inertia: =n}\n",
        steel="gravity: [0, =-g]\nparameters: {g: 9.81}\n",
    )
    system = cm.System.from_yaml(path, g=1.5)
    assert (system["crank"].mass, system["crank"].inertia, system.gravity) == (3.0, 1.5, (0.0, -1.5))


def test_errors_in_includes_name_their_file(folder):
    path = folder(model="carom: 1\ninclude: part.yaml\n", part="\nbodies:\n  crank: {mass: -1}\n")
    with pytest.raises(cm.ModelError, match=r"^\S*part\.yaml:3: bodies\.crank\.mass: must be positive or zero"):
        cm.System.from_yaml(path)


@pytest.mark.parametrize(("files", "expected"), [
    ({"model": "carom: 1\ninclude: none.yaml\n"}, r"model\.yaml:2: include: cannot read \S*none\.yaml: file not found"),
    ({"model": "carom: 1\ninclude: model.yaml\n"}, r"model\.yaml:2: include: model\.yaml includes itself"),
    ({"model": "carom: 1\ninclude: a.yaml\n", "a": "include: [b.yaml]\n", "b": "include: a.yaml\n"},
     r"b\.yaml:1: include: a\.yaml includes itself"),
    ({"model": "carom: 1\ninclude: [a.yaml]\nbodies: {x: {mass: 1}}\n", "a": "bodies: {x: {mass: 1}}\n"},
     r"model\.yaml:3: bodies\.x: is already defined in \S*a\.yaml:1"),
    ({"model": "carom: 1\ninclude: {a: b}\n"}, r"model\.yaml:2: include: must be the name of a file"),
    ({"model": "carom: 1\ninclude: a.yaml\n", "a": "[1, 2]\n"}, r"a\.yaml:1: a model file must be a mapping"),
])  # fmt: skip
def test_wrong_includes(folder, files, expected):
    with pytest.raises(cm.ModelError, match=expected):
        cm.System.from_yaml(folder(**files))


def test_depth_of_includes_is_limited(folder):
    names = [f"f{k}" for k in range(12)]
    files = {name: f"include: {following}.yaml\n" for name, following in pairwise(names)}
    with pytest.raises(cm.ModelError, match="includes must be at most 8 deep"):
        cm.System.from_yaml(folder(model="carom: 1\ninclude: f0.yaml\n", **files, f11="name: end\n"))


def test_error_names_tabs():
    assert message("carom: 1\nbodies:\n\ta: {mass: 1}\n") == ("<text>:3: the line is indented with a tab; use spaces")


def test_formula_repeated_by_aliases_is_evaluated_once(monkeypatch):
    calls = []
    monkeypatch.setattr(object_builder, "evaluate", lambda text, parameters: calls.append(text) or 2.0)
    lines = ["carom: 1", "bodies:", "  a: {mass: &m '=1 + 1'}", *(f"  b{k}: {{mass: *m}}" for k in range(50))]
    assert read("\n".join(lines) + "\n").system["b7"].mass == 2.0
    assert calls == ["1 + 1"]
    monkeypatch.setattr(object_builder, "MAX_FORMULAS", 1)
    with pytest.raises(cm.ModelError, match="at most 1 different formulas"):
        read("carom: 1\nbodies: {a: {mass: '=1'}, b: {mass: '=2'}}\n")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes here")
def test_pipes_raise(folder):
    path = folder(model="carom: 1\ninclude: pipe.yaml\n")
    os.mkfifo(path.parent / "pipe.yaml")
    with pytest.raises(cm.ModelError, match=r"model\.yaml:2: include: cannot read \S*pipe\.yaml: it is not a regular"):
        cm.System.from_yaml(path)
    with pytest.raises(cm.ModelError, match=r"^cannot read \S*pipe\.yaml: it is not a regular file"):
        cm.System.from_yaml(path.parent / "pipe.yaml")


def test_missing_or_binary_file_raises(tmp_path):
    with pytest.raises(cm.ModelError, match=r"cannot read \S*none\.yaml: file not found"):
        cm.System.from_yaml(tmp_path / "none.yaml")
    (tmp_path / "binary.yaml").write_bytes(b"\xff\xfe\x00\x01")
    with pytest.raises(cm.ModelError, match=r"binary\.yaml: not a UTF-8 text file"):
        cm.System.from_yaml(tmp_path / "binary.yaml")
    with pytest.raises(cm.ModelError, match="expected a path or a text of several lines, got 3"):
        cm.System.from_yaml(3)


def test_system_with_python_functions_cannot_be_written():
    system = cm.GeneralizedSystem(q0=[1.0], u0=[0.0], mass=[[2.0]], force=[-9.81])
    with pytest.raises(cm.ModelError, match="contains Python functions, which cannot be written to a model file"):
        system.to_yaml()


@each("empty", ["  kinetic:\n", "  kinetic: null\n", ""])
def test_lagrangian_without_energies_raises(empty):
    text = f"carom: 1\nlagrangian:\n  coordinates: [a]\n  q0: [0]\n  u0: [0]\n{empty}  potential: '0'\n"
    assert message(text) == "<text>:2: lagrangian: requires kinetic"
