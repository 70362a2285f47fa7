"""``carom doctor``: what this installation is made of."""

from __future__ import annotations

import importlib
import json
import platform
import sys
import time

import numba
from rich.console import Console
from rich.table import Table
from rich.text import Text

import carom
from carom.kernels import cache

LIBRARIES = {
    "numpy": "arrays",
    "numba": "compiled equations",
    "scipy": "assembly, splines",
    "sksundae": "SUNDIALS: integrators adams and bdf",
    "h5py": "result files",
    "yaml": "model files",
    "matplotlib": "figures",
    "sympy": "Lagrangians",
}
OPTIONAL = {
    "pandas": "tables (extra data)",
    "xarray": "labelled arrays (extra data)",
    "trimesh": "meshes (extra mesh)",
    "yourdfpy": "robot descriptions (extra urdf)",
    "viser": "the viewer (extra view)",
    "distributed": "sweeps on a Dask cluster (extra cluster)",
}


def examine(as_json: bool = False) -> int:
    """Print what was found; 1 when a library is missing or the test did not pass, else 0."""
    found = {"carom": (carom.__version__, ""), "python": (platform.python_version(), sys.executable)}
    missing = False
    for name, use in (LIBRARIES | OPTIONAL).items():
        try:
            found[name] = (getattr(importlib.import_module(name), "__version__", "found"), use)
        except ImportError as error:
            missing = missing or name in LIBRARIES
            found[name] = ("missing" if name in LIBRARIES else "not there", f"{use}; {error}")
    found["cache"] = ("", cache.folder() or "none: no folder can be written, every start compiles anew")
    found["threads"] = (str(numba.get_num_threads()), "for many bodies, and for sweeps")
    passed, words = tried()
    found["test"] = ("passed" if passed else "failed", words)
    if as_json:
        data = {name: {"found": value, "about": use} for name, (value, use) in found.items()}
        sys.stdout.write(json.dumps({"ok": passed and not missing, **data}, indent=2) + "\n")
    else:
        show(found)
    return int(missing or not passed)


def tried() -> tuple[bool, str]:
    """Two runs that have a closed form: an impact of two spheres, and a bouncing ball without smooth forces."""
    from carom.gallery import CASES
    from carom.gallery.case import CheckFailed

    began = time.perf_counter()
    for name in ("two_spheres", "bouncing_ball"):
        case = CASES[name]()
        try:
            case.check(case.run())
        except CheckFailed as failure:
            return False, str(failure)
    return True, f"two runs agree with theory, {time.perf_counter() - began:.1f} s with compilation where it was needed"


def show(found: dict[str, tuple[str, str]]) -> None:
    table = Table(box=None, show_header=False, pad_edge=False)
    table.add_column(no_wrap=True)
    table.add_column(no_wrap=True)
    table.add_column(style="dim")
    for name, (value, use) in found.items():
        table.add_row(name, Text(value, style="red" if value in ("missing", "failed") else ""), use)
    Console(highlight=False).print(table)
