"""The package as it is installed and imported."""

import importlib.metadata
import importlib.resources
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import carom

ROOT = Path(__file__).resolve().parents[1]
PYPROJECT = ROOT / "pyproject.toml"
POSIX = ("curses", "fcntl", "grp", "posix", "pty", "pwd", "readline", "resource", "syslog", "termios", "tty")

# Imported when used, so that `import carom` stays quick.
HEAVY = ("matplotlib", "h5py", "sympy", "pandas", "xarray", "sksundae", "typer", "rich", "scipy")
HEAVY += ("distributed", "carom.study")


def test_import_leaves_heavy_modules_alone():
    # A process of its own: this one has imported much already.
    program = "import sys, carom; print(*sys.modules, sep='\\n')"
    process = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert process.returncode == 0, process.stderr
    imported = set(process.stdout.split())
    assert "carom" in imported
    assert imported.isdisjoint(HEAVY), sorted(imported.intersection(HEAVY))


def test_every_public_name_resolves():
    assert [name for name in carom.__all__ if not hasattr(carom, name)] == []


def test_public_names_are_listed_once():
    assert len(set(carom.__all__)) == len(carom.__all__)


def test_the_installed_version_is_that_of_the_sources():
    project = tomllib.loads(PYPROJECT.read_text("utf-8"))["project"]
    assert "version" in project["dynamic"]
    assert importlib.metadata.version("carom") == carom.__version__


def test_type_hints_are_shipped():
    assert importlib.resources.files("carom").joinpath("py.typed").is_file()


def test_no_module_of_posix_systems_is_needed():
    pattern = re.compile(rf"^\s*(?:import|from) (?:{'|'.join(POSIX)})\b", re.MULTILINE)
    for path in [*(ROOT / "src").rglob("*.py"), *(ROOT / "docs").rglob("*.py")]:
        text = path.read_text("utf-8")
        for found in pattern.finditer(text):
            before, after = text[max(found.start() - 500, 0) : found.start()], text[found.end() : found.end() + 60]
            handled = "except ImportError" in after or 'sys.platform == "win32"' in before
            assert handled, f"{path.relative_to(ROOT)}: Windows cannot {found[0].strip()}"
