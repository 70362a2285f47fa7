"""``carom doctor``: versions, folders and a short test of this installation."""

from __future__ import annotations

import importlib
import json
import platform
import sys
import time

from rich.console import Console
from rich.table import Table
from rich.text import Text

import carom
from carom.kernels import cache
from carom.kernels.prebuilt import library
from carom.kernels.threads import thread_count

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
    "imageio_ffmpeg": "videos (extra video)",
    "viser": "the viewer (extra view)",
    "distributed": "sweeps on a Dask cluster (extra cluster)",
    "pythonfmu3": "FMUs of FMI 3.0 (extra fmi)",
    "pythonfmu": "FMUs of FMI 2.0 (extra fmi)",
    "fmpy": "check and simulation of FMUs (extra fmi)",
}


def examine(as_json: bool = False) -> int:
    """Print versions and the test; return 1 if a library is missing or the test fails, else 0."""
    report = {"carom": (carom.__version__, ""), "python": (platform.python_version(), sys.executable)}
    missing = False
    for name, use in (LIBRARIES | OPTIONAL).items():
        try:
            report[name] = (getattr(importlib.import_module(name), "__version__", "found"), use)
        except ImportError as error:
            missing = missing or name in LIBRARIES
            report[name] = ("missing" if name in LIBRARIES else "not installed", f"{use}; {error}")
    prebuilt = library()
    report["kernels"] = (
        f"{len(prebuilt.kernels)} prebuilt" if prebuilt else "compiled when needed",
        "compiled functions",
    )
    report["cache"] = ("", cache.folder() or "none: no writable folder, so every start compiles again")
    report["threads"] = (str(thread_count()), "for many bodies and for sweeps")
    passed, message = run_test()
    report["test"] = ("passed" if passed else "failed", message)
    if as_json:
        data = {name: {"found": value, "about": use} for name, (value, use) in report.items()}
        sys.stdout.write(json.dumps({"ok": passed and not missing, **data}, indent=2) + "\n")
    else:
        show(report)
    return int(missing or not passed)


def run_test() -> tuple[bool, str]:
    """Check two runs against closed forms: a compliant impact of two spheres and a non-smooth bouncing ball."""
    from carom.gallery import CASES
    from carom.gallery.case import CheckFailed

    start = time.perf_counter()
    for name in ("two_spheres", "bouncing_ball"):
        case = CASES[name]()
        try:
            case.check(case.run())
        except CheckFailed as failure:
            return False, str(failure)
    return True, f"two runs agree with theory; {time.perf_counter() - start:.1f} s, including compilation if needed"


def show(report: dict[str, tuple[str, str]]) -> None:
    """Print the report as a table."""
    table = Table(box=None, show_header=False, pad_edge=False)
    table.add_column(no_wrap=True)
    table.add_column(no_wrap=True)
    table.add_column(style="dim")
    for name, (value, use) in report.items():
        table.add_row(name, Text(value, style="red" if value in ("missing", "failed") else ""), use)
    Console(highlight=False).print(table)
