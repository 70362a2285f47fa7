"""The layers of the source tree: imports go one way, modules stay short, and only the command line prints."""

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

SOURCE = Path(__file__).resolve().parents[1] / "src" / "carom"
LONGEST_MODULE = 500

# A package may import from its own row and the rows above it. Root-level modules (errors, …) stand in the first row.
LAYERS = (
    ("kernels",),
    ("laws", "geometry", "joints", "forces", "mechanics"),
    ("model",),
    ("compiled_model",),
    ("result",),
    ("solve",),
    ("io",),
    ("scene",),
    ("plot", "view", "report"),
    ("study", "gallery"),
    ("cli", "studio", "__main__"),
)
ROW = {package: row for row, packages in enumerate(LAYERS) for package in packages}
ROOT_ROW = 0

# The doors back: these modules may import from below, but only when called (or for type checkers).
DOORS = {
    "carom.model.system": "assemble, degrees_of_freedom, summary, plot, view, to_yaml, to_fmu, from_yaml, from_urdf",
    "carom.model.generalized_system": "to_yaml",
    "carom.result.result": "plot, animate, save, to_csv, to_mat, to_vtk, to_gltf, report, view, notebooks",
    "carom.result.impact_records": "notebooks",
    "carom.result.energy": "notebooks",
    "carom.solve.simulate": "simulate with stream=",
}


class Import(NamedTuple):
    """One import of carom's own code: the absolute module it names, where, and whether it waits for a call."""

    target: str
    line: int
    lazy: bool


def package_of(module: str) -> str:
    """First name below carom: 'joints' for 'carom.joints.revolute', '' for 'carom' itself."""
    return module.split(".")[1] if "." in module else ""


def row_of(module: str) -> int:
    return ROW.get(package_of(module), ROOT_ROW)


def is_type_checking(test: ast.expr) -> bool:
    return ast.unparse(test) in ("TYPE_CHECKING", "typing.TYPE_CHECKING")


def imports_of(tree: ast.AST, module: str, is_package: bool) -> Iterator[Import]:
    """Every import of carom in a module's syntax tree, relative ones made absolute."""
    # Level 1 is the module's own package; every further level leaves one more name away.
    own_package = module if is_package else module.rpartition(".")[0]

    def absolute(node: ast.ImportFrom) -> str:
        if node.level == 0:
            return node.module or ""
        names = own_package.split(".")
        base = names[: len(names) - node.level + 1]
        return ".".join([*base, node.module] if node.module else base)

    def visit(node: ast.AST, lazy: bool) -> Iterator[Import]:
        if isinstance(node, ast.Import):
            yield from (Import(alias.name, node.lineno, lazy) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield Import(absolute(node), node.lineno, lazy)
        elif isinstance(node, ast.If) and is_type_checking(node.test):
            for child in node.body:
                yield from visit(child, True)
            for child in node.orelse:
                yield from visit(child, lazy)
        else:
            inside = lazy or isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
            for child in ast.iter_child_nodes(node):
                yield from visit(child, inside)

    for found in visit(tree, False):
        if found.target.split(".")[0] == "carom":
            yield found


@cache
def parsed(source: str) -> ast.Module:
    return ast.parse(source)


def layer_violations(source: str, module: str, is_package: bool = False) -> list[str]:
    """One sentence for every import in `source`, the text of `module`, that goes against the layers."""
    if module == "carom" or package_of(module) == "cli":  # the public names; and the command line, which uses them
        return []
    violations = []
    for found in imports_of(parsed(source), module, is_package):
        through_door = found.lazy and module in DOORS
        where = f"{module}, line {found.line}"
        if found.target == "carom":
            if not through_door:
                violations.append(f"{where}: imports carom itself; name the module that holds what it needs")
        elif row_of(found.target) > row_of(module) and not through_door:
            violations.append(f"{where}: imports {found.target}, which lies below it")
    return violations


def printing_lines(source: str) -> list[int]:
    """Lines of `source` that call print."""
    calls = (node for node in ast.walk(parsed(source)) if isinstance(node, ast.Call))
    return sorted(call.lineno for call in calls if isinstance(call.func, ast.Name) and call.func.id == "print")


# Modules that declare the records of a model; only compiled_model creates tables of them.
MODEL_RECORDS = ("compiled_model", "laws", "geometry", "joints", "forces", "mechanics.model_record")


def compiling_lines(source: str) -> list[int]:
    """Lines of `source` that compile an element of a model or create a table of model records."""
    tree = parsed(source)
    modules = tuple(f"carom.{name}" for name in MODEL_RECORDS)
    records = {
        alias.asname or alias.name
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith(modules)
        for alias in node.names
        if alias.name.isupper()
    }

    def compiles(call: ast.Call) -> bool:
        if not isinstance(call.func, ast.Attribute):
            return False
        owner, method = call.func.value, call.func.attr
        return method == "compiled" or (method in ("new", "zeros") and ast.unparse(owner) in records)

    return sorted(node.lineno for node in ast.walk(tree) if isinstance(node, ast.Call) and compiles(node))


def module_name(path: Path) -> str:
    names = path.relative_to(SOURCE.parent).with_suffix("").parts
    return ".".join(names[:-1] if names[-1] == "__init__" else names)


PATHS = {module_name(path): path for path in sorted(SOURCE.rglob("*.py"))}


@pytest.fixture(scope="module")
def sources() -> dict[str, str]:
    """Return the text of every module."""
    return {module: path.read_text("utf-8") for module, path in PATHS.items()}


def test_the_tree_is_found():
    assert "carom" in PATHS


def test_every_package_has_a_row():
    packages = {path.parent.name for path in SOURCE.glob("*/*.py")}
    assert packages <= set(ROW)


def test_imports_follow_the_layers(sources):
    packages = {module for module, path in PATHS.items() if path.name == "__init__.py"}
    assert [
        violation
        for module, source in sources.items()
        for violation in layer_violations(source, module, module in packages)
    ] == []


def test_runs_with_sensitivities_need_no_study(sources):
    tree = parsed(sources["carom.solve.simulate"])
    upward = {
        item.target
        for item in imports_of(tree, "carom.solve.simulate", False)
        if row_of(item.target) > row_of("carom.solve")
    }
    assert upward == {"carom.io.checkpoint_file"}


def test_solvers_receive_compiled_models(sources):
    lines = {module: compiling_lines(source) for module, source in sources.items() if package_of(module) == "solve"}
    assert {module: found for module, found in lines.items() if found} == {}


RENDERERS = ("plot", "report", "view")


def test_renderers_do_not_import_each_other(sources):
    assert [
        f"{module}, line {item.line}: {item.target}"
        for module, source in sources.items()
        if package_of(module) in RENDERERS
        for item in imports_of(parsed(source), module, PATHS[module].name == "__init__.py")
        if package_of(item.target) in RENDERERS and package_of(item.target) != package_of(module)
    ] == []


def test_modules_are_short(sources):
    lengths = {module: len(source.splitlines()) for module, source in sources.items()}
    assert {module: length for module, length in lengths.items() if length > LONGEST_MODULE} == {}


PRINTING = {
    "carom.view.scene_server": 1,  # the address of the page, which nobody could find without it
    "carom.kernels.library_builder": 1,  # a script for working copies: where the library is
}


def test_only_the_command_line_prints(sources):
    lines = {module: printing_lines(source) for module, source in sources.items() if package_of(module) != "cli"}
    assert {module: len(found) for module, found in lines.items() if found} == PRINTING


# The checker itself, on sources made up for it.


@pytest.mark.parametrize(
    ("module", "source"),
    [
        ("carom.solve.analyses.statics", "from carom.model.system import System"),
        ("carom.solve.analyses.statics", "from ...model.system import System"),
        ("carom.solve.analyses.statics", "from .newton import solve"),
        ("carom.joints.revolute", "from carom.forces.spring import Spring"),
        ("carom.joints.revolute", "from carom.kernels import compiled"),
        ("carom.kernels.decorators", "from carom.errors import ModelError"),
        ("carom.joints.revolute", "import numpy as np\nfrom numpy.linalg import norm"),
        ("carom.joints.revolute", "import caromel.solve"),
        ("carom.model.system", "def assemble(self):\n    from carom.solve.analyses.assembly import assemble"),
        ("carom.model.system", "if TYPE_CHECKING:\n    from carom.solve.analyses.assembly import Assembly"),
        ("carom.model.system", "class System:\n    def to_yaml(self):\n        from ..io import yaml"),
        ("carom.cli.run", "import carom as cm"),
        ("carom", "from carom.model import System"),
    ],
)
def test_checker_accepts(module, source):
    assert layer_violations(source, module) == []


@pytest.mark.parametrize(
    ("module", "source"),
    [
        ("carom.model.body", "import carom.solve.analyses.statics"),
        ("carom.model.body", "import numpy, carom.solve as solve"),
        ("carom.model.body", "from carom.compiled_model import compile"),
        ("carom.model.body", "from ..compiled_model.compile import compile"),
        ("carom.model.body", "from .. import compiled_model"),
        ("carom.model.body", "import carom"),
        ("carom.model.body", "from carom import System"),
        ("carom.model.body", "def move(self):\n    import carom"),
        ("carom.model.body", "def move(self):\n    from carom.solve import simulate"),
        ("carom.model.body", "if TYPE_CHECKING:\n    from carom.result.result import Result"),
        ("carom.model.body", "try:\n    from carom.result import Result\nexcept ImportError:\n    pass"),
        ("carom.model.system", "from carom.solve import simulate"),
        ("carom.model.system", "class System:\n    from carom.solve import simulate"),
        ("carom.model.system", "if TYPE_CHECKING:\n    pass\nelse:\n    from carom.solve import simulate"),
        ("carom.mechanics.energy", "from carom.model.body import Body"),
        ("carom.kernels.decorators", "from carom.laws import Hertz"),
        ("carom.errors", "from .laws import Hertz"),
        ("carom.result.result", "from carom.solve.outcome import Outcome"),
    ],
)
def test_checker_objects(module, source):
    assert len(layer_violations(source, module)) == 1


def test_checker_resolves_relative_imports_of_a_package():
    source = "from .system import System\nfrom ..compiled_model import compile"
    assert layer_violations(source, "carom.model", is_package=True) == [
        "carom.model, line 2: imports carom.compiled_model, which lies below it"
    ]


def test_checker_finds_print():
    assert printing_lines('"""print(1)"""\nx = 1  # print(x)\nif x:\n    print(x)') == [4]


@pytest.mark.parametrize(
    ("source", "lines"),
    [
        ("kernel = law.compiled(label, dtype)", [1]),
        ("from carom.compiled_model.many_body_records import GROUP_LAW\ntable = GROUP_LAW.zeros(3)", [2]),
        ("from carom.mechanics.model_record import MODEL as M, OK\nrecord = M.new(n_bodies=1)", [2]),
        ("from carom.compiled_model.many_body_records import GROUP_LAW\nlaw = GROUP_LAW(address, k)", []),
        ("from carom.solve.compliant.records import EVENTS\nrecord = EVENTS.new()", []),
        ("import numpy as np\nx = np.zeros(3)", []),
    ],
)
def test_checker_finds_compiling(source, lines):
    assert compiling_lines(source) == lines
