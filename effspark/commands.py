"""What all commands share: how arguments read, how errors leave, and the logs a path stands for.

Exit codes: 0 done, 1 refused (one message on stderr), 2 usage, 3 a gate or `--max-rejected` failed, 130 interrupted,
141 the reader of the output has gone.
"""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from effspark.errors import EffsparkError, SettingsError, problem

REFUSED, USAGE, GATE, INTERRUPTED, NO_READER = 1, 2, 3, 130, 141

_EXTRAS = {"pyspark": "local", "deltalake": "sql", "duckdb": "sql"}
"""Package that effspark does without, and the extra that brings it."""

_ENGINE = ("pyspark.", "py4j.")
"""Packages whose errors come from Spark."""

Lake = Annotated[
    str | None, typer.Option(help="Folder, object-store URI or catalog.schema; else EFFSPARK_LAKE.")
]
Paths = Annotated[list[str], typer.Argument(help="Log files, or folders of them.")]
Conf = Annotated[Path | None, typer.Option("--conf", help="YAML of settings that override the shipped ones.")]
Overrides = Annotated[list[str] | None, typer.Option("--set", help="One setting: section.name=value.")]
Output = Annotated[str, typer.Option(help="table, csv, json, markdown, latex or parquet.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print the result as JSON.")]
Format = Annotated[str, typer.Option("--format", help="Reader of the logs, or auto.")]
Benchmark = Annotated[str | None, typer.Option(help="Name of the benchmark where the logs give none.")]
Mapping = Annotated[Path | None, typer.Option(help="YAML that declares how rows become runs.")]
Labels = Annotated[
    Path | None, typer.Option(help="File of verdicts by custom_id, or benchmark and instance.")
]
Instances = Annotated[Path | None, typer.Option(help="File of the benchmark's items; needs --benchmark.")]


def run(app: typer.Typer, argv: Sequence[str] | None = None) -> int:
    """Run a command line and return its exit code; an error of effspark becomes one message on stderr."""
    handler = logging.StreamHandler(sys.stderr)
    handler.addFilter(_is_no_interrupt)
    logging.basicConfig(
        level=logging.WARNING, format="%(levelname)s %(name)s: %(message)s", handlers=[handler]
    )
    try:
        name = Path(sys.argv[0]).name
        code = app(args=list(argv) if argv is not None else None, prog_name=name, standalone_mode=False)
        sys.stdout.flush()
    except EffsparkError as error:
        say(f"effspark: {error}")
        return REFUSED
    except ModuleNotFoundError as error:
        package = (error.name or "").split(".")[0]
        if package not in _EXTRAS:
            raise
        say(f"effspark: {_missing(package)}")
        return REFUSED
    except (BrokenPipeError, SystemExit) as end:  # typer and rich leave with 1 where nobody reads
        if not isinstance(end, BrokenPipeError) and not isinstance(end.__context__, BrokenPipeError):
            raise
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # what is left has nowhere to go
        return NO_READER
    except typer.Exit as end:
        return end.exit_code
    except Exception as error:
        if _of_interrupt(error):
            return _interrupted()
        if type(error).__module__.startswith(("click", "typer")) and hasattr(error, "show"):
            error.show()
            return USAGE
        if type(error).__module__.startswith(_ENGINE) and type(error).__name__ != "PythonException":
            say(f"effspark: {_engine_failed(error)}")
            return REFUSED
        raise
    if code == INTERRUPTED:  # what typer makes of Ctrl-C
        return _interrupted()
    return code if isinstance(code, int) else 0


def _interrupted() -> int:
    say("effspark: interrupted: run the command again, which completes what was begun")
    return INTERRUPTED


def _is_no_interrupt(record: logging.LogRecord) -> bool:
    """Does a message tell of anything but Ctrl-C, of which one line is said?"""
    return record.exc_info is None or not _of_interrupt(record.exc_info[1])


def _of_interrupt(error: BaseException | None) -> bool:
    """Is it Ctrl-C, or what came of it on the way?"""
    while error is not None and not isinstance(error, KeyboardInterrupt):
        error = error.__context__
    return error is not None


def _engine_failed(error: Exception) -> str:
    """What Spark says of its failure, without the stack of its JVM: each cause once."""
    lines = str(error).splitlines()
    told = [line.removeprefix(": ").strip() for line in lines if line.startswith((": ", "Caused by: ", "["))]
    return problem(
        "Spark failed",
        where="its own words follow",
        found="; ".join(dict.fromkeys(told)) or (lines[0] if lines else type(error).__name__),
        allowed="a lake whose files are whole, and room in memory and on disk",
        remedy="mend the cause and run again, which completes what was begun",
    )


def _missing(package: str) -> str:
    return problem(
        "a package that this command needs is not installed",
        where="this Python environment",
        found=f"no {package}",
        allowed="effspark with its extra for this command",
        remedy=f"pip install 'effspark[{_EXTRAS[package]}]'; `effspark quick` needs no extra",
    )


def single(command: Callable[..., Any]) -> typer.Typer:
    """A command line of one command: the console script of a job."""
    app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)
    app.command()(command)
    return app


def say(text: str) -> None:
    """One line for the person at the terminal: stderr, since stdout is results only."""
    sys.stderr.write(text + "\n")


def check_team(team: str) -> str:
    """The team, unless its name stands for something else.

    Raises
    ------
    SettingsError
        The name is empty, holds a comma, or is that of the benchmark's items.

    >>> check_team("blue")
    'blue'
    """
    check_text("--team", team)
    if not team.strip() or "," in team or team == "items":
        raise SettingsError(
            f"--team {team!r}: allowed: any name but `items`, without a comma; choose another name for the team"
        )
    return team


def check_text(option: str, value: str) -> str:
    """The value of an option, unless bytes were typed that are no UTF-8.

    Raises
    ------
    SettingsError
        It cannot be written down.

    >>> check_text("--benchmark", "é")
    'é'
    """
    try:
        value.encode()
    except UnicodeEncodeError as error:
        raise SettingsError(f"{option} {value!a}: allowed: text in UTF-8; type the name again") from error
    return value


def options_of(settled: Any, *, benchmark: str | None = None, mapping: Path | None = None) -> Any:
    """Reader options from the settings and the command line.

    Raises
    ------
    SettingsError
        A name is no text, or the mapping cannot be used, whatever the files hold.
    """
    from effspark.readers import Options
    from effspark.readers.mapper import usable
    from effspark.readers.mappings import load_mapping

    options = Options(
        benchmark=None if benchmark is None else check_text("--benchmark", benchmark),
        model=settled.readers.model,
        answers=None if benchmark is None else settled.answers_of(benchmark),
        mapping=None if mapping is None else load_mapping(mapping),
        hidden_trace_models=settled.hidden_trace_models,
        filters=settled.readers.filters,
    )
    if options.mapping is not None:
        usable(options.mapping, options.benchmark)
    return options


def companions(instances: Path | None, labels: Path | None, benchmark: str | None) -> list[tuple[str, Path]]:
    """What comes beside logs, items or labels, by kind.

    Raises
    ------
    SettingsError
        Items without a benchmark.

    >>> companions(Path("items.jsonl"), Path("labels.csv"), "gsm8k")[1][0]
    'labels'
    """
    if instances is not None and not benchmark:
        raise SettingsError(
            problem(
                "items of no benchmark",
                where=f"--instances {instances}",
                found="no --benchmark",
                allowed="the name of the benchmark these items belong to",
                remedy="add --benchmark NAME",
            )
        )
    given = [("items", instances), ("labels", labels)]
    return [(kind, path) for kind, path in given if path is not None]
