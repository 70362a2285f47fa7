"""The commands and their options; what they do stands in files of their own."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

app = typer.Typer(
    name="carom", help="Contact and impact in multibody systems.", no_args_is_help=True,
    rich_markup_mode="markdown",  # with "rich", a unit [s] would be taken for markup
)  # fmt: skip

Json = Annotated[bool, typer.Option("--json", help="Print JSON and nothing else.")]


def main() -> None:
    app()


@app.command("list")
def list_cases(json: Json = False) -> None:
    """Name the cases of the gallery."""
    from carom.cli.listing import print_cases

    print_cases(json)


@app.command()
def laws(
    restitution: Annotated[float, typer.Option("--restitution", help="What is prescribed.", min=0.01, max=1.0)] = 0.5,
    json: Json = False,
) -> None:
    """Show every contact law: what it makes of a restitution, its formula and where it comes from."""
    from carom.cli.laws import print_laws

    print_laws(restitution, json)


@app.command()
def run(
    name: Annotated[str, typer.Argument(help="A case of the gallery (`carom list`), or a model file, model.yaml.")],
    settings: Annotated[
        list[str] | None,
        typer.Option(
            "--set", metavar="KEY=VALUE", help="A parameter of the case or file, or an option of the run (rtol …)."
        ),
    ] = None,
    t_end: Annotated[float | None, typer.Option("--t-end", help="End of the run [s].")] = None,
    out: Annotated[Path, typer.Option("--out", help="Folder to write into; a case gets its own inside.")] = Path("out"),
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.")] = False,
    report: Annotated[
        bool, typer.Option("--report", help="Write report.html as well: animation, plots and tables in one file.")
    ] = False,
    show: Annotated[bool, typer.Option("--open", help="Write the report and open it in the browser.")] = False,
    stream: Annotated[
        Path | None,
        typer.Option("--stream", help="Result file, run.h5, to write while it is computed: `carom resume` goes on."),
    ] = None,
    trust: Annotated[
        bool | None,
        typer.Option(
            "--trust/--no-trust",
            help="Run again at a tighter tolerance: up to when do the two agree? Without it, where that is quick.",
            show_default=False,
        ),
    ] = None,
) -> None:
    """Run a case or a model file, check what came out, and write results and figures.

    Exit code 0: the run reached its end and its check passed; 1: it did not; 2: it could not start.
    """
    from carom.cli.run import run_case

    raise typer.Exit(run_case(name, settings or [], t_end, out, json, report or show, show, stream, trust))


@app.command()
def resume(
    file: Annotated[Path, typer.Argument(help="A result that `carom run --stream` or simulate(output=...) writes.")],
    t_end: Annotated[float | None, typer.Option("--t-end", help="A later end [s] than the run was given.")] = None,
    json: Json = False,
) -> None:
    """Go on with a run that was interrupted, as if it had not been.

    Exit code 0: the run reached its end; 1: it did not; 2: it cannot go on.
    """
    from carom.cli.resume import resume_file

    raise typer.Exit(resume_file(file, t_end, json))


@app.command()
def fit(
    name: Annotated[str, typer.Argument(help="A case of the gallery, or a model file, model.yaml.")],
    data: Annotated[Path, typer.Argument(help="Measured: a CSV file with t and series such as block.vx, or impacts.")],
    parameters: Annotated[
        list[str],
        typer.Option("--parameter", "-p", metavar="NAME=LOW:HIGH", help="What to find; also NAME=START:LOW:HIGH."),
    ],
    settings: Annotated[
        list[str] | None, typer.Option("--set", metavar="KEY=VALUE", help="A value that is the same in all runs.")
    ] = None,
    columns: Annotated[
        list[str] | None,
        typer.Option("--column", metavar="NAME=SERIES", help="What a column of the file is; NAME= leaves it out."),
    ] = None,
    sigma: Annotated[
        list[str] | None, typer.Option("--sigma", metavar="COLUMN=NOISE", help="Noise, 0.5 or 1%; for all: NOISE.")
    ] = None,
    loss: Annotated[str, typer.Option("--loss", help="linear, soft_l1, huber or cauchy (outliers).")] = "linear",
    starts: Annotated[int, typer.Option("--starts", help="Places at most where the search begins.", min=1)] = 3,
    contact: Annotated[str | None, typer.Option("--contact", help="The contact whose impacts were measured.")] = None,
    out: Annotated[Path, typer.Option("--out", help="Folder to write into; a case gets its own.")] = Path("out/fit"),
    json: Json = False,
) -> None:
    """Identify parameters of a case or a model file from measured data, with intervals of confidence.

    Exit code 0: found, and nothing is doubtful; 1: found, with warnings; 2: it could not start.
    """
    from carom.cli.fit import fit_case

    raise typer.Exit(
        fit_case(name, data, parameters, settings or [], columns or [], sigma or [], loss, starts, contact, out, json)
    )


@app.command()
def sensitivity(
    name: Annotated[str, typer.Argument(help="A case of the gallery, or a model file, model.yaml.")],
    vary: Annotated[list[str], typer.Option("--vary", metavar="NAME=LOW:HIGH", help="A parameter and its range.")],
    measure: Annotated[str, typer.Option("--measure", help="What depends on them: touch.normal_force.max …")],
    method: Annotated[str, typer.Option("--method", help="sobol, or morris (fewer runs).")] = "sobol",
    samples: Annotated[int | None, typer.Option("--samples", help="Base points (128) or trajectories (20).")] = None,
    seed: Annotated[int, typer.Option("--seed", help="Of the samples.")] = 0,
    settings: Annotated[
        list[str] | None, typer.Option("--set", metavar="KEY=VALUE", help="A value that is the same in all runs.")
    ] = None,
    executor: Annotated[
        str | None, typer.Option("--executor", help="serial, a number of processes, or a Dask scheduler, tcp://…")
    ] = None,
    out: Annotated[Path, typer.Option("--out", help="Folder; a case gets its own inside.")] = Path("out/sensitivity"),
    json: Json = False,
) -> None:
    """Which parameters a measure depends on, by Sobol's shares of the variance or Morris's screening.

    Exit code 0: all runs succeeded; 1: some failed and were left out; 2: it could not start.
    """
    from carom.cli.sensitivity import sensitivity_of

    raise typer.Exit(sensitivity_of(name, vary, measure, method, samples, seed, settings or [], executor, out, json))


@app.command()
def compare(
    name: Annotated[str, typer.Argument(help="A case of the gallery (`carom list`), or a model file, model.yaml.")],
    values: Annotated[
        list[str],
        typer.Argument(
            metavar="KEY=VALUE[,VALUE…]...", help="What to vary (several values) or to set: law=flores,hertz rtol=1e-9."
        ),
    ],
    watch: Annotated[
        list[str] | None, typer.Option("--watch", help="A series to tell deviations of, such as block.vx; repeatable.")
    ] = None,
    plot: Annotated[list[str] | None, typer.Option("--plot", help="A series to draw; repeatable.")] = None,
    out: Annotated[Path, typer.Option("--out", help="Folder to write into; a case gets its own inside.")] = Path("out"),
    json: Json = False,
) -> None:
    """Run a model under several laws, solvers or physics; tell and draw what differs.

    Exit code 0: every run reached its end; 1: one did not; 2: it could not start.
    """
    from carom.cli.study import compare_case

    raise typer.Exit(compare_case(name, values, watch or [], plot or [], out, json))


@app.command()
def sweep(
    name: Annotated[str, typer.Argument(help="A case of the gallery (`carom list`), or a model file, model.yaml.")],
    vary: Annotated[
        list[str],
        typer.Option("--vary", metavar="KEY=VALUES", help="KEY=0.1,0.4 or KEY=LOW:HIGH:COUNT[:log]; repeatable."),
    ],
    measure: Annotated[
        list[str] | None, typer.Option("--measure", help="What to keep, such as block.vx.final; repeatable.")
    ] = None,
    settings: Annotated[
        list[str] | None, typer.Option("--set", metavar="KEY=VALUE", help="The same for all runs; repeatable.")
    ] = None,
    samples: Annotated[
        int | None, typer.Option("--samples", help="Points to take from ranges KEY=LOW:HIGH, instead of a grid.", min=1)
    ] = None,
    method: Annotated[
        str | None, typer.Option("--method", help="grid, list, latin, sobol or random.", show_default=False)
    ] = None,
    seed: Annotated[int, typer.Option("--seed", help="Of the samples.")] = 0,
    executor: Annotated[
        str | None, typer.Option("--executor", help="serial, a number of processes, or a Dask scheduler, tcp://…")
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option("--out", help="Folder that keeps every run when it is done (default: out/NAME/sweep)."),
    ] = None,
    json: Json = False,
) -> None:
    """Run a model with many values and measure every run. The same command goes on where it was stopped.

    Exit code 0: every run was made; 1: some failed or are missing; 2: it could not start.
    """
    from carom.cli.study import sweep_case

    raise typer.Exit(
        sweep_case(
            name, vary, settings or [], measure or [], out, json, executor, samples=samples, method=method, seed=seed
        )
    )


@app.command()
def view(
    file: Annotated[Path, typer.Argument(help="A result that `carom run` or result.save wrote, such as run.h5.")],
    port: Annotated[int, typer.Option("--port", help="Port of this computer to serve on; 0 finds a free one.")] = 8080,
    opened: Annotated[bool, typer.Option("--open/--no-open", help="Open the browser.")] = True,
    frames: Annotated[int | None, typer.Option("--frames", help="Frames of the animation at most.")] = None,
) -> None:
    """Look at a result in the browser: turn it, play it, scrub through it. Ctrl-C ends it."""
    from carom.cli.view import view_file

    raise typer.Exit(view_file(file, port, opened, frames))


@app.command()
def studio(
    port: Annotated[int, typer.Option("--port", help="Port of this computer to serve on; 0 finds a free one.")] = 8350,
    opened: Annotated[bool, typer.Option("--open/--no-open", help="Open the browser.")] = True,
) -> None:
    """Choose a model in the browser, change its parameters, run it, compare. Ctrl-C ends it."""
    from carom.cli.studio import open_studio

    raise typer.Exit(open_studio(port, opened))


@app.command()
def reproduce(
    ids: Annotated[list[str] | None, typer.Argument(help="Figures such as C9 or N10, cases, or all (default).")] = None,
    out: Annotated[Path, typer.Option("--out", help="Folder to write into.")] = Path("out/reproduce"),
    processes: Annotated[int | None, typer.Option("--processes", help="Cases at a time (default: cores).")] = None,
) -> None:
    """Draw every figure and table of the papers again, each with its check, into one page.

    Exit code 0: all checks passed; 1: some did not; 2: there is no such figure.
    """
    from carom.cli.reproduce import reproduce_all

    raise typer.Exit(reproduce_all(ids or [], out, processes))


@app.command()
def validate(
    names: Annotated[list[str] | None, typer.Argument(help="Problems such as hertz_impact; all by default.")] = None,
    json: Json = False,
    out: Annotated[Path | None, typer.Option("--out", help="Write a page as well, FILE.html or FILE.md.")] = None,
    processes: Annotated[int | None, typer.Option("--processes", help="Problems at a time (default: cores).")] = None,
) -> None:
    """Compare with closed forms, published values and second methods: what was compared, how far off it is, its bound.

    Exit code 0: all within their bounds; 1: some are not; 2: there is no such problem.
    """
    from carom.cli.validate import validate_all

    raise typer.Exit(validate_all(names or [], json, out, processes))


@app.command()
def schema() -> None:
    """Print the JSON Schema of model files, for editors."""
    from carom.io.model.json_schema import schema_text

    typer.echo(schema_text())


@app.command()
def doctor(json: Json = False) -> None:
    """Show versions, the folder of compiled code and the threads, and run a test of a few seconds.

    Exit code 0: all is well; 1: a library is missing, or the test did not pass.
    """
    from carom.cli.doctor import examine

    raise typer.Exit(examine(json))
