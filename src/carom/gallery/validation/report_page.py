"""Page of the validation results in Markdown or HTML."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from pathlib import Path

from carom.gallery.validation.runner import ValidationResult
from carom.io.atomic_write import atomic_write
from carom.report import html_sections
from carom.report.html_page import fill_template, package_file
from carom.scene import html_table

FORMATS = (".html", ".md")


def write_validation(results: Sequence[ValidationResult], path: Path) -> Path:
    """Write ``path`` in HTML or Markdown, depending on its suffix."""
    text = html(results) if path.suffix == ".html" else f"# Validation\n\n{markdown(results)}"
    with atomic_write(path, path.suffix) as part:
        part.write_text(text, encoding="utf-8")
    return path


def verdict(results: Sequence[ValidationResult]) -> str:
    """Return the result of all comparisons in one sentence."""
    failed = [result.name for result in results if not result.passed]
    count = f"{sum(len(result.check_results) for result in results)} comparisons of {len(results)} problems"
    return f"{count}: {'all within their bounds' if not failed else 'failed: ' + ', '.join(failed)}."


def markdown(results: Sequence[ValidationResult]) -> str:
    """Return a table of all comparisons, followed by descriptions and references of the problems."""
    rows = []
    for result in results:
        for k, check in enumerate(result.check_results):
            head = f"[{result.title}](#{result.name})" if k == 0 else ""
            error = f"{check.error:.2g}" if check.passed else f"**{check.error:.2g}**"
            rows.append(f"| {head} | {_cell(check.quantity)} | {result.basis} | {error} | {check.bound:.2g} |")
        if result.failure is not None:
            rows.append(f"| [{result.title}](#{result.name}) | **{_cell(result.failure)}** | {result.basis} | | |")
    table = "\n".join(["| problem | compared | with | off by | bound |", "|---|---|---|---:|---:|", *rows])
    parts = [
        f'<a id="{result.name}"></a>\n\n**{result.title}.** {result.description.replace("``", "`")} '
        f"*{result.reference}.* `carom validate {result.name}`"
        for result in results
    ]
    return "\n\n".join([verdict(results), table, *parts]) + "\n"


def html(results: Sequence[ValidationResult]) -> str:
    """Return a self-contained HTML page."""
    seconds = sum(result.seconds for result in results)
    colour = "good" if all(result.passed for result in results) else "bad"
    return fill_template("reproduce.html", {
        "title": "Validation",
        "style": package_file("report.css"),
        "head": f'<p><b class="{colour}">{escape(verdict(results))}</b> Computing time {seconds:.0f} s.</p>',
        "table": "",
        "body": "".join(map(_section, results)),
        "foot": escape(html_sections.versions()),
    })  # fmt: skip


def _section(result: ValidationResult) -> str:
    rows = [(check.quantity, check.error, check.bound, check.passed) for check in result.check_results]
    table = html_table.table(("compared", "off by", "bound", "passed"), rows) if rows else ""
    status, colour = ("passed", "good") if result.passed else ("failed", "bad")
    failure = f'<p class="note">{escape(result.failure)}</p>\n' if result.failure is not None else ""
    description = (
        f"<p>{escape(result.description.replace('``', ''))}</p>\n"
        f'<p><b class="{colour}">{status}</b>, compared with: {escape(result.basis)}. '
        f"<i>{escape(result.reference)}</i>. "
        f"<code>carom validate {escape(result.name)}</code>, {result.seconds:.1f} s.</p>\n"
    )
    return html_sections.section(result.title, description + failure + table)


def _cell(text: str) -> str:
    return text.replace("|", "\\|")
