"""The pages are true: their Python, model files and commands run, their tables are right, the site builds."""

from __future__ import annotations

import doctest
import importlib.util
import inspect
import os
import pkgutil
import re
import shlex
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from typer.testing import CliRunner

import carom as cm
from carom.cli.app import app
from carom.gallery import CASES
from carom.gallery.validation import VALIDATIONS
from carom.geometry.pairs.registry import PAIRS
from carom.geometry.shapes.registry import SHAPES
from carom.io.model.model_reader import read
from carom.joints.registry import JOINTS
from carom.laws import LAWS
from quick import slow_but
from test_docstrings import public_names

ROOT = Path(__file__).resolve().parents[1]
PAGES = ["README.md", *(f"docs/{path.name}" for path in sorted((ROOT / "docs").glob("*.md")))]
FENCE = re.compile(r"^```(\w*)[^\n]*\n(.*?)^```$", re.DOTALL | re.MULTILINE)
RUN = {"python", "yaml", "console"}


def blocks(page: Path) -> list[tuple[str, str]]:
    """Language and text of every block, in the order of the page."""
    return FENCE.findall(page.read_text(encoding="utf-8"))


def files(page: Path) -> dict[str, str]:
    """Model files that a page shows, by the name in their first line."""
    named = [
        (text.partition("\n")[0].removeprefix("# ").strip(), text)
        for language, text in blocks(page)
        if language == "yaml"
    ]
    assert all(name.endswith(".yaml") for name, _ in named), "a model begins with its name, # model.yaml"
    return dict(named)


@pytest.fixture
def as_before():
    """Remove the entries that a page adds to registries."""
    registries: list[dict[Any, Any]] = [LAWS, JOINTS, SHAPES, PAIRS]
    known = [dict(registry) for registry in registries]
    yield
    for registry, entries in zip(registries, known, strict=True):
        registry.clear()
        registry.update(entries)


QUICK = ("README.md", "docs/tutorial.md")


@pytest.mark.parametrize("page", slow_but(QUICK, PAGES))
@pytest.mark.usefixtures("as_before")
def test_a_page_runs_from_its_top_to_its_end(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, text in files(ROOT / page).items():
        (tmp_path / name).write_text(text, encoding="utf-8")
        model = read(text)
        assert cm.simulate(model.system, **model.run).outcome.ok, name
    module = ModuleType("page")
    monkeypatch.setitem(sys.modules, module.__name__, module)  # the kernel cache finds kernels by their module
    scope = vars(module)
    exec("import carom as cm", scope)
    for language, text in blocks(ROOT / page):
        assert language in RUN, f"{page} has a block of {language or 'nothing named'}, which no test runs"
        if language == "python":
            exec(compile(text, page, "exec"), scope)
        elif language == "console":
            for line in text.splitlines():
                command(line)
    if page in ("README.md", "docs/guide.md"):
        assert scope["result"].outcome.ok
        assert scope["result"].energy.drift < 1e-8
        assert (tmp_path / "run.h5").exists()


def command(line: str) -> None:
    """Run a line ``$ carom …`` of a page."""
    assert line.startswith("$ carom "), line
    done = CliRunner().invoke(app, shlex.split(line.removeprefix("$ carom ")))
    assert done.exit_code == 0, f"{line}\n{done.output}"


def test_the_table_of_returned_restitutions_is_what_the_laws_return():
    guide = (ROOT / "docs/guide.md").read_text(encoding="utf-8")
    head = re.search(r"^\| prescribed \|(.*)\| valid from \|$", guide, re.MULTILINE)
    prescribed = [float(cell) for cell in head[1].strip(" |").split("|")]
    advices = [cm.laws.advise(mass=1.0, speed=1.0, radii=0.01, restitution=c) for c in prescribed]
    rows = re.findall(r"^\| `(\w+)` \|((?: [01]\.\d+ \|)+)$", guide, re.MULTILINE)
    assert {getattr(cm.laws, kind).name for kind, _ in rows} == set(advices[0].laws)
    for kind, cells in rows:
        laws = [advice.laws[getattr(cm.laws, kind).name] for advice in advices]
        expected = [*(law.returned for law in laws), laws[0].validity[0]]
        digits = [3] * len(laws) + [2]
        shown = cells.strip(" |").split(" | ")
        assert shown == [f"{value:.{n}f}" for value, n in zip(expected, digits, strict=True)], kind


def test_the_model_file_of_the_guide_runs_and_comes_back(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    text = files(ROOT / "docs/guide.md")["slider_crank.yaml"]
    model = read(text)
    result = cm.simulate(model.system, **model.run)
    assert result.outcome.ok
    assert result.energy.drift < 1e-7
    assert result["buffer"].indentation.max() > 0.0  # it strikes
    again = cm.simulate(cm.System.from_yaml(model.system.to_yaml()), **model.run)
    assert again.q.tobytes() == result.q.tobytes()


def test_the_times_in_the_readme_are_those_of_the_benchmarks():
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    table = re.search(r"^\| problem \|.*\n\|[-:|]+\n((?:\|.*\n)+)", readme, re.MULTILINE)[1]
    programs = ("carom", "Exudyn", "MuJoCo", "Siconos")
    measured = (ROOT / "docs/benchmarks.md").read_text(encoding="utf-8").splitlines()
    rows = [[cell.strip() for cell in row.strip("|").split("|")] for row in table.splitlines()]
    assert len(rows) == 6
    for problem, *times in rows:
        for program, time in zip(programs, times, strict=True):
            if time:
                known = any(f"| {program}" in line and f"| {time} |" in line for line in measured)
                assert known, f"{problem}: {time} of {program} is not in docs/benchmarks.md"


# ---- the site


@pytest.fixture(scope="session")
def generate():
    spec = importlib.util.spec_from_file_location("generate", ROOT / "docs/generate.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules["generate"] = module  # processes that draw find it by its name
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="session")
def site(tmp_path_factory):
    """The site, built as CI builds it: a warning is an error."""
    pytest.importorskip("material", reason="mkdocs-material is not installed: the site was not built")
    folder = tmp_path_factory.mktemp("site")
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(folder)],
        cwd=ROOT, capture_output=True, text=True, check=False, env={**os.environ, "NO_MKDOCS_2_WARNING": "1"},
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    assert "WARNING" not in done.stderr
    return folder


@pytest.mark.slow
def test_every_registered_element_has_a_page_with_its_plot(site, generate):
    for which in generate.FAMILIES:
        for name in generate.family(which).names():
            page = site / "reference" / which / f"{name}.html"
            assert page.exists(), page
            assert f'src="{name}.png#only-light"' in page.read_text(encoding="utf-8"), page
            assert (page.parent / f"{name}.png").stat().st_size > 5_000
            assert (page.parent / f"{name}-dark.png").stat().st_size > 5_000


def test_the_pages_cover_the_registries(generate):
    from carom.forces.registry import FORCES
    from carom.geometry.pairs.registry import PAIRS
    from carom.geometry.profiles.registry import PROFILES
    from carom.geometry.shapes.registry import SHAPES
    from carom.geometry.surfaces.registry import SURFACES
    from carom.joints.registry import JOINTS
    from carom.laws.friction.registry import FRICTIONS
    from carom.laws.lubrication import LUBRICANTS
    from carom.model.registry import BOUNDARIES, CONTACTS
    from carom.model.sensors.registry import SENSORS
    from carom.solve.compliant.registry import INTEGRATORS
    from carom.solve.contact_problem.registry import SOLVERS
    from carom.solve.timestepping.schemes import SCHEMES

    known = {
        "laws": LAWS, "friction": FRICTIONS, "shapes": SHAPES, "pairs": ["-".join(pair) for pair in PAIRS],
        "joints": JOINTS, "contacts": CONTACTS, "boundaries": BOUNDARIES, "forces": FORCES, "profiles": PROFILES,
        "integrators": [*INTEGRATORS, "verlet"], "schemes": SCHEMES, "solvers": SOLVERS, "surfaces": SURFACES,
        "sensors": SENSORS, "lubrication": LUBRICANTS, "visuals": ["Visual"],
    }  # fmt: skip
    assert set(known) == set(generate.FAMILIES)
    for which, names in known.items():
        assert generate.family(which).names() == list(names)
    assert set(generate.family("cases").names()) == set(CASES)


def public_paths() -> set[str]:
    """Return the path of every public name below ``carom``, that of public modules among them."""
    paths = set()
    for name in cm.__all__:
        value = getattr(cm, name)
        paths.add(f"carom.{name}")
        if inspect.ismodule(value):
            paths.update(f"carom.{name}.{inner}" for inner in public_names(value))
    return paths


def test_every_public_name_has_a_place_in_the_api_reference(generate):
    from generators import api

    pages = "\n".join(api.pages().values())
    places = re.findall(r"^\[\]\(\)\{ #(\S+) \}$", pages, re.MULTILINE)
    assert len(places) == len(set(places)) > 250
    modules = {f"carom.{name}" for name in api.modules()}
    assert public_paths() - {"carom.laws.friction"} <= set(places) | modules  # its page is that of cm.friction
    assert modules <= {f"carom.{topic}" for topic in api.TITLES}
    documented = re.findall(r"^::: (\S+)$", pages, re.MULTILINE)
    assert len(documented) == len(set(documented))
    for path in documented:
        assert pkgutil.resolve_name(path) is not None


@pytest.mark.slow
def test_every_public_name_is_in_the_site_with_its_signature(site, generate):
    from generators import api

    texts = {topic: (site / f"api/{topic}.html").read_text(encoding="utf-8") for topic in api.TITLES}
    for entry in api.collect():
        for path in (entry.definition, *entry.paths):
            assert f'id="{path}"' in texts[entry.topic], path


def test_every_element_of_an_example_page_has_its_example(generate):
    from generators.contacts_and_forces import KINDS
    from generators.page_text import EXAMPLES

    wanted = {f"{folder}/{name}.py" for folder, kind in KINDS.items() for name in kind.known}
    assert len(wanted) > 15
    assert wanted == {f"{folder}/{path.name}" for folder in KINDS for path in (EXAMPLES / folder).glob("*.py")}


@pytest.mark.slow
def test_links_and_pictures_lead_somewhere_and_never_to_a_network(site):
    pages = {path: path.read_text(encoding="utf-8") for path in site.rglob("*.html")}
    assert len(pages) > 150
    ids = {path: set(re.findall(r'id="?([^"\s>]+)', text)) for path, text in pages.items()}
    for path, text in pages.items():
        if path.name == "404.html":  # its links count from the root of a server
            continue
        assert not re.search(r'(?:src|<link[^>]* href)="?(?:https?:)?//', text), path
        for target in re.findall(r'(?:href|src)="([^"]*)"', text):
            address, _, anchor = target.partition("#")
            if re.match(r"[a-z]+:", address):
                continue
            found = (path.parent / address).resolve() if address else path
            assert found.exists() or (found.parent.exists() and address in ("", ".")), f"{path.name}: {target}"
            if anchor and found in ids and not anchor.startswith("__"):
                assert anchor in ids[found], f"{path.name}: {target}"


@pytest.mark.slow
def test_search_and_equations_work_from_a_folder_without_a_network(site, browser):
    page = browser.new_context(offline=True).new_page()
    failed: list[str] = []
    page.on("requestfailed", lambda request: failed.append(request.url))
    page.goto((site / "theory.html").as_uri())
    page.wait_for_selector(".katex")
    assert page.locator("div.arithmatex").count() == page.locator(".katex-display").count() > 15
    assert page.locator(".katex-error").count() == 0
    page.locator(".md-search__input").fill("RevoluteClearance")
    page.wait_for_selector(".md-search-result__item")
    page.context.close()
    assert failed == []


@pytest.mark.slow
def test_the_validation_page_has_every_comparison_within_its_bound(site, generate):
    text = (site / "validation.html").read_text(encoding="utf-8")
    cells = re.findall(r'<td style="text-align: right;">([^<]*)</td>', text)
    errors, bounds = ([float(cell) for cell in cells[k::2]] for k in (0, 1))
    assert len(errors) > 100
    assert all(error <= 1.01 * bound for error, bound in zip(errors, bounds, strict=True))
    assert all(f"gallery/{name}.html" in text for name in CASES)
    assert all(f'id="{name}"' in text for name in VALIDATIONS)


@pytest.mark.slow
def test_the_code_of_made_pages_runs(site, generate, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for path in sorted(generate.generate().glob("reference/**/*.md")):
        for language, text in blocks(path):
            assert language in ("python", "pycon"), path
            if language == "pycon":  # the example of a docstring
                text = "".join(example.source for example in doctest.DocTestParser().get_examples(text))
            exec(compile(text, str(path), "exec"), {"cm": cm} if language == "pycon" else {})
