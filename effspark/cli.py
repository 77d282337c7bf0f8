"""The command `effspark`: one verb for each thing people do. Heavy imports wait until a verb needs them."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Annotated

import typer

from effspark import __version__, commands
from effspark.errors import SettingsError, problem
from effspark.resources import folder

app = typer.Typer(
    help="How efficiently language models reason, and why, from the logs of their evaluations.",
    add_completion=False,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
)


@app.callback(invoke_without_command=True)
def _version(
    version: Annotated[bool, typer.Option("--version", help="Show the version and exit.")] = False,
) -> None:
    if version:
        typer.echo(__version__)
        raise typer.Exit


Size = Annotated[str, typer.Option(help="`demo` (120 instances a benchmark) or `small` (24).")]


def _job(name: str) -> None:
    """Register the command of a job: `effspark.jobs.NAME`, or the folder beside a plain checkout."""
    try:
        module = import_module(f"effspark.jobs.{name}")
    except ModuleNotFoundError:
        sys.path.insert(0, str(folder("jobs").parent))
        module = import_module(f"jobs.{name}")
    app.command(name=name)(getattr(module, name))


for _name in ("ingest", "measure", "report"):
    _job(_name)


@app.command()
def quick(
    paths: commands.Paths,
    instances: commands.Instances = None,
    benchmark: commands.Benchmark = None,
    labels: commands.Labels = None,
    mapping: commands.Mapping = None,
    format_name: commands.Format = "auto",
    conf: commands.Conf = None,
    overrides: commands.Overrides = None,
    as_json: commands.AsJson = False,
) -> int:
    """Print the efficiency table of some logs: no lake, no Java."""
    from effspark import laptop, settings, show, show_load

    settled = settings.load(conf, overrides or ())
    files = commands.companions(instances, labels, benchmark)
    options = commands.options_of(settled, benchmark=benchmark, mapping=mapping)
    gathered = laptop.read(paths, options, companions=files, format_name=format_name)
    show_load.print_gathered(gathered)
    show_load.some_runs(gathered, paths)
    measured = laptop.measure(gathered, settled)
    show_load.print_odd(measured.unmatched.to_pylist(), measured.duplicates.to_pylist())
    show.print_report(laptop.report(measured, settled), as_json=as_json)
    return 0


@app.command()
def check(
    paths: commands.Paths,
    format_name: commands.Format = "auto",
    benchmark: commands.Benchmark = None,
    mapping: commands.Mapping = None,
    conf: commands.Conf = None,
    overrides: commands.Overrides = None,
    as_json: commands.AsJson = False,
) -> int:
    """Say which reader reads each file, and what would be refused and why. Writes nothing."""
    from effspark import checking, settings, show_check, show_load
    from effspark.readers import plan

    settled = settings.load(conf, overrides or ())
    options = commands.options_of(settled, benchmark=benchmark, mapping=mapping)
    listing = plan.listed(paths)
    found = checking.checked_logs(listing.logs, options, format_name=format_name)
    show_check.print_checked(found, as_json=as_json)
    show_load.print_skipped(listing.skipped)
    show_check.some_known(found)
    return 0


@app.command()
def sql(
    query: Annotated[str, typer.Argument(help="One SELECT over the tables and views of the lake.")],
    lake: commands.Lake = None,
    engine: Annotated[str, typer.Option(help="duckdb or spark; duckdb needs no Java.")] = "duckdb",
    output: commands.Output = "table",
    as_json: commands.AsJson = False,
) -> int:
    """Ask a lake in SQL."""
    from effspark import lakes, local_sql, printing

    output = printing.checked_output(output, as_json=as_json)
    where, query = lakes.named(lake), commands.check_text("QUERY", query)
    if engine == "duckdb" and lakes.kind_of(where) is not lakes.LakeKind.CATALOG:
        printing.print_rows(local_sql.select(where, query), output=output)
    elif engine in ("duckdb", "spark"):
        from effspark.spark import session, store, views

        opened = store.Store(session.session(), where)
        views.register(opened)
        printing.print_rows(views.select(opened, query), output=output)
    else:
        raise SettingsError(
            problem(
                "unknown engine", where="--engine", found=engine, allowed="duckdb, spark", remedy="choose one"
            )
        )
    return 0


@app.command()
def tables(
    name: Annotated[str | None, typer.Argument(help="Table or view to describe; none lists all.")] = None,
    lake: commands.Lake = None,
    output: commands.Output = "table",
    as_json: commands.AsJson = False,
) -> int:
    """List the tables, or the columns of one; with --lake, their rows and versions too."""
    from effspark import dictionary, printing

    output = printing.checked_output(output, as_json=as_json)
    printing.print_rows(
        dictionary.table_list(lake) if name is None else dictionary.column_list(name), output=output
    )
    return 0


@app.command()
def formats(
    output: commands.Output = "table",
    as_json: commands.AsJson = False,
) -> int:
    """List the log formats that are read, and what each can supply."""
    from effspark import dictionary, printing

    output = printing.checked_output(output, as_json=as_json)
    dictionary.print_formats(output=output)
    return 0


@app.command()
def simulate(
    out: Annotated[Path, typer.Option(help="Folder to write the logs, items, labels and truth to.")],
    seed: Annotated[int, typer.Option(help="Seed of every random draw.")] = 1,
    size: Size = "demo",
) -> int:
    """Write seeded logs of three teams with their planted truth."""
    from effspark import simulation

    simulation.simulate(out, seed=seed, size=size)
    commands.say(f"logs, items, labels and truth.json are in {out}")
    return 0


@app.command()
def demo(
    out: Annotated[Path, typer.Option(help="Folder for the simulated logs and the lake.")] = Path("demo-out"),
    seed: Annotated[int, typer.Option(help="Seed of the simulated logs.")] = 1,
    size: Size = "demo",
) -> int:
    """Simulated logs of three teams, into a lake, and the efficiency table of it."""
    from effspark import demonstration

    demonstration.demo(out, seed=seed, size=size)
    return 0


def main(argv: Sequence[str] | None = None) -> int:
    """Entry point; returns the exit code."""
    return commands.run(app, argv)


if __name__ == "__main__":
    sys.exit(main())
