"""Docstrings and signatures as Markdown."""

from __future__ import annotations

import inspect
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

EXAMPLES = Path(__file__).resolve().parents[1] / "examples"
"""Example programs of the pages, from which their figures are drawn."""


@dataclass(frozen=True)
class Entry:
    """A page of the reference: its file is ``name``.md in the folder of its family."""

    name: str
    title: str
    summary: str
    text: str


def markdown(docstring: str) -> str:
    """Paragraphs as they are, ``names`` and `references` as code, indented formulas and examples as blocks."""
    text, head, examples = inspect.cleandoc(docstring).partition("Examples\n--------\n")
    shown = f"```pycon\n{examples.strip()}\n```" if head else ""
    return (re.sub(r"``([^`\n]+)``", r"`\1`", text) + shown).strip()


def summary(docstring: str) -> str:
    """The first sentence or line, for tables."""
    first = markdown(docstring).split("\n\n")[0].replace("\n", " ")
    return re.split(r"(?<=[^.\d]{3})[.;:](?=\s|$)", first)[0].rstrip(".").replace("|", "\\|")


def signature(path: str, made: Any) -> str:
    """``path`` with the arguments of ``made``: their names and defaults, without types."""
    shown = []
    star = False
    for parameter in inspect.signature(made).parameters.values():
        if parameter.kind is parameter.KEYWORD_ONLY and not star:
            shown.append("*")
            star = True
        if parameter.kind is parameter.VAR_POSITIONAL:
            shown.append(f"*{parameter.name}")
            star = True
        else:
            default = "" if parameter.default is parameter.empty else f"={parameter.default!r}"
            shown.append(parameter.name + default)
    return f"`#!python {path}({', '.join(shown)})`\n{{ .signature }}"


def own_docstring(made: Any) -> str:
    if not made.__doc__:
        raise LookupError(f"{made.__name__} has no docstring, and so nothing to show")
    return str(made.__doc__)


def block(code: str) -> str:
    return f"```python\n{code.strip()}\n```"


def example(name: str) -> tuple[str, dict[str, Any]]:
    """The example ``name`` as a page shows it, and its variables after it has run."""
    code = (EXAMPLES / f"{name}.py").read_text(encoding="utf-8")
    scope: dict[str, Any] = {}
    exec(compile(code, name, "exec"), scope)
    return re.sub(r"^shown = .*\n", "", code, flags=re.MULTILINE), scope


def page(title: str, *parts: str) -> str:
    return "\n\n".join([f"# {title}", *(part.strip() for part in parts if part)]) + "\n"
