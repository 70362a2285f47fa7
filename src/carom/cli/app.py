"""The commands and their options; what they do stands in files of their own."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

app = typer.Typer(
    name="carom", help="Contact and impact in multibody systems.", no_args_is_help=True, add_completion=False
)


def main() -> None:
    app()


@app.command("list")
def list_cases() -> None:
    """Name the cases of the gallery."""
    from carom.cli.listing import print_cases

    print_cases()


@app.command()
def run(
    name: Annotated[str, typer.Argument(help="A case of the gallery; `carom list` names them.")],
    settings: Annotated[
        list[str] | None,
        typer.Option(
            "--set", metavar="KEY=VALUE", help="A parameter of the case, or an option of the run (rtol, integrator …)."
        ),
    ] = None,
    t_end: Annotated[float | None, typer.Option("--t-end", help="End of the run [s].")] = None,
    out: Annotated[Path, typer.Option("--out", help="Folder to write into; a case gets its own inside.")] = Path("out"),
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.")] = False,
) -> None:
    """Run a case, check what came out, and write results and figures.

    Exit code 0: the run reached its end and its check passed; 1: it did not; 2: it could not start.
    """
    from carom.cli.run import run_case

    raise typer.Exit(run_case(name, settings or [], t_end, out, json))


@app.command()
def doctor() -> None:
    """Show versions, the folder of compiled code, and which libraries can be loaded."""
    from carom.cli.doctor import examine

    raise typer.Exit(examine())
