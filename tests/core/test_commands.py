"""How commands end: one message on stderr, one exit code, and what their shared arguments mean."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import pytest
import typer

from effspark import commands, settings
from effspark.errors import LogError, SettingsError

Capture = pytest.CaptureFixture[str]


def code(body: Callable[[], int | None], *arguments: str) -> int:
    """Exit code of a command line whose one command runs `body`."""

    def command(number: Annotated[int, typer.Option()] = 0) -> int | None:
        return body() if number == 0 else number

    return commands.run(commands.single(command), arguments)


def raising(error: Exception) -> Callable[[], int]:
    def body() -> int:
        raise error

    return body


def test_a_mapping_that_no_file_could_be_read_by_is_refused_before_any_is_opened(tmp_path: Path) -> None:
    mapping = tmp_path / "own.yaml"
    mapping.write_text("{name: own, version: 1, model: m, instance: i}")
    with pytest.raises(
        SettingsError, match=r"the benchmark is not named \(.*own.yaml\): .*pass --benchmark NAME"
    ):
        commands.options_of(settings.load(), mapping=mapping)
    assert commands.options_of(settings.load(), benchmark="b", mapping=mapping).mapping["name"] == "own"
    mapping.write_text("{name: own, version: 1, modell: m, instance: i}")
    with pytest.raises(
        SettingsError, match=r"(?s)own.yaml: the mapping cannot be used\n.*modell: unknown key"
    ):
        commands.options_of(settings.load(), benchmark="b", mapping=mapping)


def test_a_command_ends_with_the_code_it_returns_and_nothing_is_success(capsys: Capture) -> None:
    assert code(lambda: None) == 0
    assert code(lambda: 0) == 0
    assert code(lambda: 0, "--number", "3") == commands.GATE == 3
    assert capsys.readouterr() == ("", "")


@pytest.mark.parametrize("error", [LogError("a [b]: found c"), SettingsError("a [b]: found c")])
def test_an_error_on_purpose_is_one_message_on_stderr_and_code_1(error: Exception, capsys: Capture) -> None:
    assert code(raising(error)) == commands.REFUSED == 1
    assert capsys.readouterr() == ("", "effspark: a [b]: found c\n")


def test_an_error_of_the_program_is_not_hidden() -> None:
    with pytest.raises(ZeroDivisionError):
        code(lambda: 1 // 0)


JVM = """An error occurred while calling o66.sql.
: org.apache.spark.SparkException: [FAILED_READ_FILE] cannot read file:///lake/runs/0.json
\tat org.apache.spark.sql.Some.where(Some.scala:1)
Caused by: org.apache.hadoop.fs.ChecksumException: Checksum error
\tat org.apache.hadoop.Any(Any.java:2)
Caused by: org.apache.hadoop.fs.ChecksumException: Checksum error
"""


def test_a_failure_of_spark_is_told_without_the_stack_of_its_jvm(capsys: Capture) -> None:
    failure = type("Py4JJavaError", (Exception,), {"__module__": "py4j.protocol"})
    assert code(raising(failure(JVM))) == commands.REFUSED
    err = capsys.readouterr().err
    assert err.count("\n") == 1
    assert "[FAILED_READ_FILE] cannot read file:///lake/runs/0.json; Caused by: " in err
    assert err.count("Checksum error") == 1
    assert ".scala" not in err


def test_an_error_of_our_own_code_inside_spark_is_not_hidden() -> None:
    failure = type("PythonException", (Exception,), {"__module__": "pyspark.errors.exceptions.captured"})
    with pytest.raises(failure):
        code(raising(failure("KeyError: 'x'")))


@pytest.mark.parametrize("arguments", [["--nope"], ["--number"], ["--number", "x"], ["surplus"]])
def test_wrong_usage_is_told_on_stderr_with_code_2(arguments: list[str], capsys: Capture) -> None:
    assert code(lambda: 0, *arguments) == commands.USAGE == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert "Error: " in err


def test_a_wrong_argument_found_by_the_command_itself_is_wrong_usage(capsys: Capture) -> None:
    assert code(raising(typer.BadParameter("pass PATH"))) == 2
    assert "pass PATH" in capsys.readouterr().err


def test_help_is_a_result(capsys: Capture) -> None:
    assert code(lambda: 1, "--help") == 0
    out, err = capsys.readouterr()
    assert "--number" in out
    assert err == ""


@pytest.mark.parametrize(
    ("module", "extra"), [("pyspark.sql", "local"), ("deltalake", "sql"), ("duckdb", "sql")]
)
def test_a_package_of_an_extra_that_is_missing_is_named_with_its_extra(
    module: str, extra: str, capsys: Capture
) -> None:
    assert code(raising(ModuleNotFoundError("No module", name=module))) == 1
    err = capsys.readouterr().err
    assert f"no {module.split('.')[0]};" in err
    assert f"pip install 'effspark[{extra}]'" in err


def test_any_other_missing_module_is_an_error_of_the_program() -> None:
    with pytest.raises(ModuleNotFoundError):
        code(raising(ModuleNotFoundError("No module", name="effspark.nope")))


def test_companions_are_items_then_labels_each_where_it_is_given() -> None:
    items, labels = Path("i"), Path("l")
    assert commands.companions(None, None, "b") == []
    assert commands.companions(items, None, "b") == [("items", items)]
    assert commands.companions(None, labels, None) == [("labels", labels)]
    assert commands.companions(items, labels, "b") == [("items", items), ("labels", labels)]
    with pytest.raises(SettingsError, match=r"items of no benchmark \(--instances i\).*add --benchmark NAME"):
        commands.companions(items, labels, None)


def test_options_hold_what_the_command_line_says(tmp_path: Path) -> None:
    mapping = tmp_path / "m.yaml"
    mapping.write_text("name: a\nversion: 2\nmodel: m\ninstance: i\n", "utf-8")
    said = ["hidden_trace_models=[o4]", "readers.model=m", "readers.filters={gsm8k: flexible-extract}"]
    options = commands.options_of(settings.load(overrides=said), benchmark="b", mapping=mapping)
    assert (options.benchmark, options.model, options.hidden_trace_models) == ("b", "m", ("o4",))
    assert options.filters == {"gsm8k": "flexible-extract"}
    assert (options.mapping["version"], options.mapping["file"]) == (2, str(mapping))
    assert commands.options_of(settings.load()).mapping is None


def test_what_is_said_goes_to_stderr(capsys: Capture) -> None:
    commands.say("hello")
    assert capsys.readouterr() == ("", "hello\n")


def test_bytes_that_are_no_text_are_refused_with_the_option() -> None:
    with pytest.raises(SettingsError, match=r"--team '\\udcff': allowed: text in UTF-8"):
        commands.check_team("\udcff")
    with pytest.raises(SettingsError, match="--benchmark"):
        commands.options_of(settings.load(), benchmark="\udcff")


@pytest.mark.parametrize("output", ["table", "csv"])
def test_a_command_whose_reader_has_gone_ends_as_other_tools_do(output: str) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    job = [sys.executable, "-m", "effspark.cli", "formats", "--output", output]
    ended = subprocess.run(job, stdout=writer, stderr=subprocess.PIPE, text=True, check=False)
    os.close(writer)
    assert (ended.returncode, ended.stderr) == (commands.NO_READER, "")


def test_an_interrupted_command_says_so_in_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    def stopped() -> int:
        raise KeyboardInterrupt

    assert commands.run(commands.single(stopped), []) == commands.INTERRUPTED
    assert capsys.readouterr().err.strip() == (
        "effspark: interrupted: run the command again, which completes what was begun"
    )


def test_what_an_interrupt_breaks_on_its_way_is_no_other_error(capsys: pytest.CaptureFixture[str]) -> None:
    def broken() -> int:
        try:
            raise KeyboardInterrupt
        finally:
            raise OSError("the call was cut")

    assert commands.run(commands.single(broken), []) == commands.INTERRUPTED
    assert capsys.readouterr().err.startswith("effspark: interrupted: ")
