"""The names of `carom.laws`."""

import subprocess
import sys

from carom import laws
from carom.laws.friction.registry import FRICTIONS
from carom.laws.normal.registry import LAWS


def test_every_public_name_resolves():
    for module in (laws, laws.friction):
        assert [name for name in module.__all__ if not hasattr(module, name)] == []
        assert len(set(module.__all__)) == len(module.__all__)


def test_every_registered_law_is_public():
    assert {kind.__name__ for kind in LAWS.values()} <= set(laws.__all__)
    assert {kind.__name__ for kind in FRICTIONS.values()} <= set(laws.friction.__all__)
    assert {"custom", "law", "LAWS"} <= set(laws.__all__)
    assert {"custom", "law", "FRICTIONS"} <= set(laws.friction.__all__)


def test_importing_the_laws_leaves_heavy_modules_alone():
    program = "import sys, carom.laws; print(*sys.modules, sep='\\n')"
    process = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert process.returncode == 0, process.stderr
    assert {"scipy.integrate", "scipy.optimize", "matplotlib"}.isdisjoint(process.stdout.split())
