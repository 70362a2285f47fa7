"""``carom doctor``: what this installation is made of."""

from __future__ import annotations

import importlib
import platform
import sys

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
    "matplotlib": "figures",
}


def examine() -> int:
    """Print what was found; 1 when a library is missing, else 0."""
    table = Table(box=None, show_header=False, pad_edge=False)
    table.add_column(no_wrap=True)
    table.add_column(no_wrap=True)
    table.add_column(style="dim")
    table.add_row("carom", carom.__version__, "")
    table.add_row("python", platform.python_version(), sys.executable)
    missing = False
    for name, use in LIBRARIES.items():
        try:
            module = importlib.import_module(name)
        except ImportError as error:
            missing = True
            table.add_row(name, Text("missing", style="red"), f"{use}; {error}")
        else:
            table.add_row(name, getattr(module, "__version__", "found"), use)
    folder = cache.folder()
    table.add_row("cache", "", folder or "none: no folder can be written, every start compiles anew")
    Console(highlight=False).print(table)
    return int(missing)
