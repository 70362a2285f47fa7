"""Generator of reference and gallery: ``python docs/generate.py`` writes them to build/docs and prints the path.

``python docs/generate.py validation`` prints every comparison, of the problems and of the gallery, as a table. Existing
pages are used again as long as neither the library nor the code in this folder changes.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import sqlite3
import sys
import warnings
from concurrent.futures import ProcessPoolExecutor
from contextlib import closing
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from types import SimpleNamespace
from typing import Any

DOCS = Path(__file__).resolve().parent
ROOT = DOCS.parent
if str(DOCS) not in sys.path:
    sys.path.insert(0, str(DOCS))

FAMILIES = (
    "laws", "friction", "shapes", "pairs", "joints", "contacts", "boundaries", "forces",
    "sensors", "lubrication", "visuals", "integrators", "schemes", "solvers", "surfaces", "profiles",
)  # fmt: skip
CASES, PROBLEMS, FIGURES = "cases", "problems", "methods"
LONGEST_WAIT = 3600.0
"""Time to wait for another process that generates the same pages [s]."""


def family(name: str) -> Any:
    """Its ``TITLE``, ``INTRO``, ``names()`` and ``make(name, folder)``."""
    import importlib

    touching = importlib.import_module("generators.contacts_and_forces")
    if name in touching.KINDS:
        kind = touching.KINDS[name]
        return SimpleNamespace(
            TITLE=kind.TITLE, INTRO=kind.INTRO, names=partial(touching.names, kind), make=partial(touching.make, kind)
        )
    return importlib.import_module(f"generators.{name}")


def make_one(task: tuple[str, str], folder: str) -> Any:
    """A page with its figures; in a process of its own."""
    warnings.simplefilter("ignore")
    which, name = task
    if which == PROBLEMS:
        return family(which).make(name)
    if which == FIGURES:
        return family(which).make(name, Path(folder) / "images")
    place = Path(folder) / ("gallery" if which == CASES else f"reference/{which}")
    place.mkdir(parents=True, exist_ok=True)
    try:
        entry = family(which).make(name, place)
    except Exception as trouble:
        trouble.add_note(f"while the page of {which} {name!r} was made")
        raise
    if which == CASES:
        return entry
    (place / f"{entry.name}.md").write_text(entry.text, encoding="utf-8")
    return entry


def digest() -> str:
    """Return the digest of the library and of the generators of the pages."""
    total = hashlib.sha256()
    for path in sorted([*(ROOT / "src").rglob("*.py"), *DOCS.rglob("*.py")]):
        total.update(path.relative_to(ROOT).as_posix().encode())
        total.update(path.read_bytes())
    return total.hexdigest()[:16]


def generate() -> Path:
    """The folder with everything made, made now where it is not there."""
    made = ROOT / "build" / "docs" / digest()
    made.parent.mkdir(parents=True, exist_ok=True)
    # An empty database is a lock that every system has and that ends with its process.
    with closing(sqlite3.connect(made.parent.parent / "docs.lock", timeout=LONGEST_WAIT)) as lock:
        lock.execute("BEGIN EXCLUSIVE")  # a second process waits here, and finds the folder complete
        if not (made / "done.json").exists():
            make_all(made)
    return made


def make_all(made: Path) -> None:
    """Every page and figure, several at a time, in processes of their own."""
    part = made.with_name(f"{made.name}.{os.getpid()}")
    shutil.rmtree(part, ignore_errors=True)
    tasks = [(which, name) for which in (CASES, PROBLEMS, FIGURES) for name in family(which).names()]
    tasks += [(which, name) for which in FAMILIES for name in family(which).names()]
    with ProcessPoolExecutor(os.cpu_count(), mp_context=get_context("spawn")) as pool:
        results = dict(zip(tasks, pool.map(partial(make_one, folder=str(part)), tasks)))
    write_indexes(part, results)
    for old in made.parent.glob("*"):
        if old != part:
            shutil.rmtree(old, ignore_errors=True)
    part.rename(made)


def write_indexes(folder: Path, results: dict[tuple[str, str], Any]) -> None:
    from generators import api, cases, problems
    from generators.page_text import page

    nav: list[Any] = []
    rows = []
    for which in FAMILIES:
        one = family(which)
        entries = [results[which, name] for name in one.names()]
        table = "\n".join(
            ["| | |", "|---|---|", *(f"| [{entry.title}]({entry.name}.md) | {entry.summary} |" for entry in entries)]
        )
        (folder / f"reference/{which}/index.md").write_text(page(one.TITLE, one.INTRO, table), encoding="utf-8")
        links = [
            f"reference/{which}/index.md",
            *({entry.title: f"reference/{which}/{entry.name}.md"} for entry in entries),
        ]
        nav.append({one.TITLE: links})
        rows.append(
            f"| [{one.TITLE}]({which}/index.md) | {len(entries)} | "
            f"{one.INTRO.split('. ')[0].split(':')[0].rstrip('.')} |"
        )
    opening = "Every element of the library, from its own docstring, with its own plot."
    table = "\n".join(["| | | |", "|---|---:|---|", *rows])
    (folder / "reference/index.md").write_text(page("Reference", opening, table), encoding="utf-8")
    done = {name: results[CASES, name] for name in family(CASES).names()}
    (folder / "gallery/index.md").write_text(cases.gallery_page(done), encoding="utf-8")
    opening = (DOCS / "validation.md").read_text(encoding="utf-8")
    solved = [results[PROBLEMS, name] for name in problems.names()]
    (folder / "validation.md").write_text(cases.validation_page(done, solved, opening), encoding="utf-8")
    shown = [{done[name]["title"]: f"gallery/{name}.md"} for name in cases.CASES]
    (folder / "api").mkdir()
    for name, text in api.pages().items():
        (folder / f"api/{name}.md").write_text(text, encoding="utf-8")
    summary = {
        "api": ["api/index.md", *({title: f"api/{topic}.md"} for topic, title in api.TITLES.items())],
        "reference": ["reference/index.md", *nav],
        "gallery": ["gallery/index.md", *shown],
        "cases": done,
        "problems": {one.name: one.data() for one in solved},
    }
    (folder / "done.json").write_text(json.dumps(summary, indent=1, ensure_ascii=False), encoding="utf-8")


def validation() -> str:
    """Every comparison, of the problems and of the gallery, a line each."""
    found = json.loads((generate() / "done.json").read_text(encoding="utf-8"))
    return "\n".join(
        f"{name:24} {one['what']:60} {one['error']:9.2g} {one['bound']:9.2g}"
        for part in (PROBLEMS, CASES)
        for name, compared in found[part].items()
        for one in compared["findings"]
    )


if __name__ == "__main__":
    sys.stdout.write((validation() if sys.argv[1:] == ["validation"] else str(generate())) + "\n")
