"""Commands and their options; each command is implemented in a module of its own."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

app = typer.Typer(
    name="carom", help="Contact and impact in multibody systems.", no_args_is_help=True,
    rich_markup_mode="markdown",  # With "rich", a unit such as [s] would be read as markup.
)  # fmt: skip

Model = Annotated[str, typer.Argument(help="Case of the gallery (`carom list`) or model file such as model.yaml.")]
Settings = Annotated[
    list[str] | None,
    typer.Option(
        "--set", metavar="KEY=VALUE", help="Parameter of the model or option of the run (rtol …); repeatable."
    ),
]
Out = Annotated[Path, typer.Option("--out", help="Output folder; each case has a subfolder.")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON only.")]
Seed = Annotated[int, typer.Option("--seed", help="Seed of the random samples.")]
Executor = Annotated[
    str | None, typer.Option("--executor", help="serial, a number of processes, or a Dask scheduler tcp://…")
]
Processes = Annotated[int | None, typer.Option("--processes", help="Number of parallel processes (default: cores).")]
Port = Annotated[int, typer.Option("--port", help="Local port of the server; 0 selects a free one.")]
OpenBrowser = Annotated[bool, typer.Option("--open/--no-open", help="Open the browser.")]


def main() -> None:
    """Run the command line."""
    app()


def _print_version(requested: bool) -> None:
    """Print the version and stop."""
    if requested:
        from carom import __version__

        typer.echo(f"carom {__version__}")
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Contact and impact in multibody systems."""


@app.command("list")
def list_cases(json: Json = False) -> None:
    """List the cases of the gallery."""
    from carom.cli.list_cases import print_cases

    print_cases(json)


@app.command()
def show(name: Model, json: Json = False) -> None:
    """Show description and parameters of a case (default, unit, meaning), or the summary of a model file."""
    from carom.cli.show import show_case

    raise typer.Exit(show_case(name, json))


@app.command()
def laws(
    restitution: Annotated[
        float, typer.Option("--restitution", help="Prescribed restitution [-].", min=0.01, max=1.0)
    ] = 0.5,
    json: Json = False,
) -> None:
    """List all contact laws with formula, reference and the restitution that each returns for the prescribed one."""
    from carom.cli.laws import print_laws

    print_laws(restitution, json)


@app.command()
def run(
    name: Model,
    settings: Settings = None,
    t_end: Annotated[float | None, typer.Option("--t-end", help="End of the run [s].")] = None,
    out: Out = Path("out"),
    json: Json = False,
    report: Annotated[
        bool, typer.Option("--report", help="Also write report.html: animation, plots and tables in one file.")
    ] = False,
    show: Annotated[bool, typer.Option("--open", help="Write the report and open it in the browser.")] = False,
    formats: Annotated[
        list[str] | None,
        typer.Option(
            "--format",
            metavar="NAME[,NAME…]",
            help="Also write the result as csv, mat, vtk, glb, gltf, mp4 or gif; write figures as pdf, svg or png.",
        ),
    ] = None,
    video: Annotated[bool, typer.Option("--video", help="Also write an animation, run.mp4.")] = False,
    stream: Annotated[
        Path | None,
        typer.Option(
            "--stream", help="Result file to write during the run, such as run.h5; `carom resume` resumes it."
        ),
    ] = None,
    check_tolerance: Annotated[
        bool | None,
        typer.Option(
            "--check-tolerance/--no-check-tolerance",
            help="Repeat the run with a tighter tolerance and report until when both agree "
            "(default: for short runs only).",
            show_default=False,
        ),
    ] = None,
    trust: Annotated[bool | None, typer.Option("--trust/--no-trust", hidden=True)] = None,
) -> None:
    """Run a case or a model file, check the result, and write result and figures.

    Exit code 0: the run reached its end and its check passed; 1: one of them failed; 2: invalid input.
    """
    from carom.cli.run import run_case

    check = trust if check_tolerance is None else check_tolerance  # --trust is the earlier name of the option.
    raise typer.Exit(
        run_case(
            name, settings or [], t_end, out, json, report or show, show, stream, check, tuple(formats or ()), video
        )
    )


@app.command()
def resume(
    file: Annotated[Path, typer.Argument(help="Result file of `carom run --stream` or simulate(stream=...).")],
    t_end: Annotated[
        float | None, typer.Option("--t-end", help="New end of the run [s], later than the original one.")
    ] = None,
    json: Json = False,
) -> None:
    """Resume an interrupted run; the result is identical to an uninterrupted one.

    Exit code 0: the run reached its end; 1: it did not; 2: the run cannot be resumed.
    """
    from carom.cli.resume import resume_file

    raise typer.Exit(resume_file(file, t_end, json))


@app.command()
def fit(
    name: Model,
    data: Annotated[
        Path, typer.Argument(help="Measured data: CSV file with t and series such as block.vx, or impacts.")
    ],
    parameters: Annotated[
        list[str],
        typer.Option(
            "--parameter", "-p", metavar="NAME=LOW:HIGH", help="Parameter and its bounds; also NAME=START:LOW:HIGH."
        ),
    ],
    settings: Settings = None,
    columns: Annotated[
        list[str] | None,
        typer.Option("--column", metavar="NAME=SERIES", help="Series that a column contains; NAME= ignores it."),
    ] = None,
    sigma: Annotated[
        list[str] | None,
        typer.Option("--sigma", metavar="COLUMN=NOISE", help="Noise of a column, 0.5 or 1%; NOISE alone for all."),
    ] = None,
    loss: Annotated[str, typer.Option("--loss", help="linear, or soft_l1, huber, cauchy (outliers).")] = "linear",
    starts: Annotated[int, typer.Option("--starts", help="Largest number of start points of the search.", min=1)] = 3,
    contact: Annotated[str | None, typer.Option("--contact", help="Contact whose impacts were measured.")] = None,
    out: Out = Path("out/fit"),
    json: Json = False,
) -> None:
    """Identify parameters of a case or a model file from measured data, with confidence intervals.

    Exit code 0: identified; 1: identified with warnings; 2: invalid input.
    """
    from carom.cli.fit import fit_case

    raise typer.Exit(
        fit_case(name, data, parameters, settings or [], columns or [], sigma or [], loss, starts, contact, out, json)
    )


@app.command()
def sensitivity(
    name: Model,
    vary: Annotated[
        list[str], typer.Option("--vary", metavar="NAME=LOW:HIGH", help="Parameter and its range; repeatable.")
    ],
    measure: Annotated[str, typer.Option("--measure", help="Measure, such as touch.normal_force.max.")],
    method: Annotated[str, typer.Option("--method", help="sobol, or morris with fewer runs.")] = "sobol",
    samples: Annotated[int | None, typer.Option("--samples", help="Base points (128) or trajectories (20).")] = None,
    seed: Seed = 0,
    settings: Settings = None,
    executor: Executor = None,
    out: Out = Path("out/sensitivity"),
    json: Json = False,
) -> None:
    """Rank the influence of parameters on a measure by Sobol indices or Morris screening.

    Exit code 0: all runs succeeded; 1: some failed and were left out; 2: invalid input.
    """
    from carom.cli.sensitivity import sensitivity_case

    raise typer.Exit(sensitivity_case(name, vary, measure, method, samples, seed, settings or [], executor, out, json))


@app.command()
def compare(
    name: Model,
    values: Annotated[
        list[str],
        typer.Argument(
            metavar="KEY=VALUE[,VALUE…]...", help="Values to compare, or one to set: law=flores,hertz rtol=1e-9."
        ),
    ],
    series: Annotated[
        list[str] | None,
        typer.Option("--series", help="Series whose deviations are reported, such as block.vx; repeatable."),
    ] = None,
    watch: Annotated[list[str] | None, typer.Option("--watch", hidden=True)] = None,
    plot: Annotated[list[str] | None, typer.Option("--plot", help="Series to plot; repeatable.")] = None,
    out: Out = Path("out"),
    json: Json = False,
) -> None:
    """Run a model with several laws, solvers or methods; report and plot the differences.

    Exit code 0: every run reached its end; 1: one did not; 2: invalid input.
    """
    from carom.cli.compare import compare_case

    if watch:
        typer.echo("compare: --watch is deprecated; use --series", err=True)
    raise typer.Exit(compare_case(name, values, [*(series or []), *(watch or [])], plot or [], out, json))


@app.command()
def sweep(
    name: Model,
    vary: Annotated[
        list[str],
        typer.Option("--vary", metavar="KEY=VALUES", help="KEY=0.1,0.4 or KEY=LOW:HIGH:COUNT[:log]; repeatable."),
    ],
    measure: Annotated[
        list[str] | None, typer.Option("--measure", help="Measure of each run, such as block.vx.final; repeatable.")
    ] = None,
    settings: Settings = None,
    samples: Annotated[
        int | None, typer.Option("--samples", help="Number of samples from ranges KEY=LOW:HIGH.", min=1)
    ] = None,
    method: Annotated[
        str | None, typer.Option("--method", help="grid, list, latin, sobol or random.", show_default=False)
    ] = None,
    seed: Seed = 0,
    executor: Executor = None,
    out: Annotated[
        Path | None,
        typer.Option("--out", help="Folder in which each finished run is saved (default: out/NAME/sweep)."),
    ] = None,
    json: Json = False,
) -> None:
    """Run a parameter sweep and evaluate each run; repeating the command resumes an interrupted sweep.

    Exit code 0: every run succeeded; 1: some failed or are missing; 2: invalid input.
    """
    from carom.cli.sweep import sweep_case

    raise typer.Exit(
        sweep_case(
            name, vary, settings or [], measure or [], out, json, executor, samples=samples, method=method, seed=seed
        )
    )


@app.command()
def view(
    file: Annotated[Path, typer.Argument(help="Result file of `carom run` or result.save, such as run.h5.")],
    port: Port = 8080,
    open_browser: OpenBrowser = True,
    frames: Annotated[int | None, typer.Option("--frames", help="Largest number of animation frames.")] = None,
) -> None:
    """Show a result as an animation in the browser; Ctrl-C stops the viewer."""
    from carom.cli.view import view_file

    raise typer.Exit(view_file(file, port, open_browser, frames))


@app.command()
def export(
    file: Annotated[
        Path, typer.Argument(help="Result file of `carom run` or result.save, such as run.h5; with --fmu a model file.")
    ],
    formats: Annotated[
        list[str] | None,
        typer.Option(
            "--format",
            metavar="NAME[,NAME…]",
            help="csv, mat, vtk (ParaView), glb or gltf (Blender, web), mp4, gif, pdf, svg, png; repeatable.",
        ),
    ] = None,
    out: Annotated[Path | None, typer.Option("--out", help="Output folder (default: that of the file).")] = None,
    fmu: Annotated[
        bool, typer.Option("--fmu", help="Write a model file such as model.yaml as a co-simulation FMU.")
    ] = False,
    inputs: Annotated[
        list[str] | None, typer.Option("--input", help="Input of the FMU (default: all); repeatable.")
    ] = None,
    outputs: Annotated[
        list[str] | None,
        typer.Option("--output", help="Output of the FMU, such as crank.omega (default: all signals); repeatable."),
    ] = None,
    parameters: Annotated[
        list[str] | None,
        typer.Option("--parameter", help="Further parameter of the FMU, such as touch.law.stiffness, repeatable."),
    ] = None,
    fmi_version: Annotated[str, typer.Option("--fmi-version", help="Version of FMI, 3.0 or 2.0.")] = "3.0",
    communication_step: Annotated[
        float | None, typer.Option("--communication-step", help="Recommended communication step of the FMU [s].")
    ] = None,
) -> None:
    """Write a result file in other formats, or a model file as an FMU.

    Formats: tables, MATLAB, ParaView, 3D scenes, animations, figures.
    Exit code 0: all files are written; 1: one could not be written; 2: invalid input.
    """
    from carom.cli.export import export_file, export_fmu

    if fmu:
        raise typer.Exit(export_fmu(file, out, inputs, outputs, parameters or [], fmi_version, communication_step))
    raise typer.Exit(export_file(file, formats or [], out))


@app.command()
def studio(
    port: Port = 8350,
    open_browser: OpenBrowser = True,
) -> None:
    """Choose a model in the browser, change its parameters, run it and compare runs; Ctrl-C stops the studio."""
    from carom.cli.studio import open_studio

    raise typer.Exit(open_studio(port, open_browser))


@app.command()
def reproduce(
    ids: Annotated[list[str] | None, typer.Argument(help="Figures such as C9 or N10, cases, or all (default).")] = None,
    out: Annotated[Path, typer.Option("--out", help="Output folder.")] = Path("out/reproduce"),
    processes: Processes = None,
) -> None:
    """Reproduce the figures and tables of the papers on one page, each with its check.

    Exit code 0: all checks passed; 1: some failed; 2: unknown figure.
    """
    from carom.cli.reproduce import reproduce_all

    raise typer.Exit(reproduce_all(ids or [], out, processes))


@app.command()
def validate(
    names: Annotated[list[str] | None, typer.Argument(help="Problems such as hertz_impact (default: all).")] = None,
    json: Json = False,
    out: Annotated[Path | None, typer.Option("--out", help="Also write a page, FILE.html or FILE.md.")] = None,
    processes: Processes = None,
) -> None:
    """Compare runs with closed forms, published values and second methods; report each error and its bound.

    Exit code 0: all errors are within their bounds; 1: some are not; 2: unknown problem.
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
    """Show versions, the cache folder of compiled code and the number of threads, and run a short test.

    Exit code 0: no problem; 1: a library is missing or the test failed.
    """
    from carom.cli.doctor import examine

    raise typer.Exit(examine(json))
