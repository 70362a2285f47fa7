"""Hooks of mkdocs: add the generated pages, and split the guide into one page per section."""

from __future__ import annotations

import json
import logging
import re
import subprocess
import sys
from pathlib import Path
from posixpath import dirname, relpath
from typing import Any

from mkdocs.structure.files import File, Files

log = logging.getLogger("mkdocs.hooks.carom")
GUIDE, GENERATE = "guide.md", Path(__file__).with_name("generate.py")
LINK = re.compile(r"\]\((?:\.\./)*guide\.md(#[\w-]+)?\)")
_pages: dict[str, str] = {}
"""Page of the guide by anchor."""


def on_files(files: Files, *, config: Any) -> Files:
    log.info("generating the reference and the gallery, unless they are up to date")
    done = subprocess.run([sys.executable, GENERATE], stdout=subprocess.PIPE, text=True, check=True)
    made = Path(done.stdout.strip())
    for path in sorted(made.rglob("*")):
        name = path.relative_to(made).as_posix()
        if path.suffix in (".md", ".png"):
            known = files.get_file_from_path(name)
            if known is not None:  # the opening of a page that was made
                files.remove(known)
            files.append(File(name, str(made), config.site_dir, config.use_directory_urls))
    whole = files.get_file_from_path(GUIDE)
    sections = split_guide(Path(whole.abs_src_path).read_text(encoding="utf-8"))
    files.remove(whole)
    for name, text in sections.items():
        files.append(File.generated(config, name, content=text))
    changes = (Path(config.docs_dir).parent / "CHANGELOG.md").read_text(encoding="utf-8")
    files.append(File.generated(config, "changelog.md", content=changes))
    nav = json.loads((made / "done.json").read_text(encoding="utf-8"))
    parts = {"guide": list(sections), "reference": nav["reference"], "api": nav["api"], "gallery": nav["gallery"]}
    config.nav = [{title: parts.get(item, item) for title, item in entry.items()} for entry in config.nav]
    return files


def on_page_markdown(markdown: str, *, page: Any, config: Any, files: Files) -> str:
    """Replace links to sections of the guide by links to their pages."""
    here = dirname(page.file.src_uri)

    def found(match: re.Match[str]) -> str:
        anchor = (match[1] or "")[1:]
        return f"]({relpath(_pages.get(anchor, 'guide/index.md'), here or '.')})"

    return LINK.sub(found, markdown)


def split_guide(text: str) -> dict[str, str]:
    """Return one page per section, and the lines before the first section as the opening page."""
    opening, *rest = re.split(r"^## ", text, flags=re.MULTILINE)
    titles = [section.partition("\n")[0].strip() for section in rest]
    for title in titles:
        _pages[slug(title)] = f"guide/{slug(title)}.md"
    links = "\n".join(f"- [{title}]({slug(title)}.md)" for title in titles)
    pages = {"guide/index.md": f"{opening.strip()}\n\nCode goes on from one section to the next.\n\n{links}\n"}
    for title, section in zip(titles, rest):
        body = section.partition("\n")[2].strip()
        body = re.sub(r"\]\((\w+\.md)", r"](../\1", body)  # pages beside the guide
        body = re.sub(r"\]\(#([\w-]+)\)", lambda match: f"]({slug(match[1])}.md)", body)
        body = body.replace("](images/", "](../images/")
        pages[_pages[slug(title)]] = f"# {title}\n\n{body}\n"
    return pages


def slug(title: str) -> str:
    """As in the anchors of headings."""
    return re.sub(r"[-\s]+", "-", re.sub(r"[^\w\s-]", "", title).strip().lower())
