"""The command `effspark` as people type it: exit codes, what stands where, and one clear message for each bad input."""

from __future__ import annotations

import codecs
import csv
import gzip
import io
import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import zstandard

from effspark import cli, local_sql, tables
from tests import delta
from tests.core.readers.inspect_logs import golden, whole_members, zipped

Capture = pytest.CaptureFixture[str]
Change = Callable[[dict[str, Any]], None]


class Told(NamedTuple):
    """How a command ended."""

    code: int
    out: str
    err: str


def effspark(capsys: Capture, *arguments: object) -> Told:
    capsys.readouterr()
    code = cli.main([str(argument) for argument in arguments])
    return Told(code, *capsys.readouterr())


def answer(custom_id: Any, change: Change | None = None) -> str:
    """One row of an OpenAI batch output file."""
    body: dict[str, Any] = {
        "created": 1770000000,
        "model": "m-1",
        "choices": [{"index": 0, "message": {"content": "x"}, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 5, "completion_tokens": 10, "total_tokens": 15},
    }
    row = {"custom_id": custom_id, "response": {"status_code": 200, "body": body}, "error": None}
    if change is not None:
        change(row)
    return json.dumps(row) + "\n"


GOOD = answer("a") + answer("b")


def counted(tokens: Any) -> bytes:
    def change(row: dict[str, Any]) -> None:
        row["response"]["body"]["usage"] = {"completion_tokens": tokens}

    return (GOOD + answer("c", change)).encode()


def named(custom_id: Any) -> bytes:
    return (GOOD + answer(custom_id)).encode()


def written(folder: Path, content: bytes | str, name: str = "log.jsonl") -> Path:
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


COUNT = "allowed: a whole number from 0 to 1,000,000,000"
ID = "allowed: a whole number or a non-empty text"
BAD_RECORDS: Mapping[str, tuple[bytes, tuple[str, ...]]] = {
    "invalid UTF-8": (
        GOOD.encode() + answer("c").replace("x", "\xff").encode("latin-1"),
        ("invalid_utf8", "allowed: UTF-8 text", "write the record again"),
    ),
    "a half-written last line": (
        (GOOD + answer("c")[:60]).encode(),
        (
            "invalid_json",
            "a JSON record without its end",
            "(Input data was truncated)",
            "allowed: a whole record",
            "fix the log",
        ),
    ),
    "a negative count": (counted(-3), ("output_tokens: found -3", COUNT, "fix the log")),
    "a huge count": (counted(10**12), ("output_tokens: found 1000000000000", COUNT, "fix the log")),
    "a text for a count": (counted("many"), ("output_tokens: found 'many'", COUNT, "fix the log")),
    "a null id": (named(None), ("instance id: found None", ID, "fix the log")),
    "a boolean id": (named(True), ("instance id: found True", ID, "fix the log")),
    "a fraction as id": (named(1.5), ("instance id: found 1.5", ID, "fix the log")),
    "a list as id": (named(["c"]), ("instance id: found ['c']", ID, "fix the log")),
}
"""Logs of two good records and a bad one, and what must be said of it."""


def test_a_line_of_100_megabytes_is_refused_and_its_neighbours_are_read(
    tmp_path: Path, capsys: Capture
) -> None:
    path = tmp_path / "batch.jsonl"
    with path.open("w") as file:
        file.write(answer("a"))
        file.write(answer("b").replace('"x"', f'"{"x" * 100_000_000}"'))
        file.write(answer("c"))
    told = effspark(capsys, "check", path)
    shown = " ".join(told.out.split())
    assert told.code == 0
    assert "3 2 0 1 2" in shown
    assert f"line_too_long ({path}, byte {len(answer('a'))}): a line that cannot be read" in shown
    assert "allowed: a line of up to 67,108,864 bytes; write the record without its longest texts" in shown


@pytest.mark.parametrize("name", BAD_RECORDS)
def test_a_bad_record_is_told_with_its_place_and_remedy_and_spoils_no_other(
    name: str, tmp_path: Path, capsys: Capture
) -> None:
    content, words = BAD_RECORDS[name]
    path = written(tmp_path, content)
    place = f"{path}, byte {len(GOOD)}"
    checked = effspark(capsys, "check", path)
    assert (checked.code, checked.err) == (0, "")
    quick = effspark(capsys, "quick", path)
    assert quick.code == 0
    assert quick.err.startswith("3 records = 2 mapped + 0 not selected + 0 merged + 1 quarantined; 2 runs")
    assert quick.err.count("warning: ") == 1
    for text in (" ".join(checked.out.split()), quick.err):
        assert [word for word in (place, *words) if word not in text] == []
    [found] = json.loads(effspark(capsys, "check", path, "--json").out)
    assert (found["records"], found["mapped"], found["quarantined"]) == (3, 2, 1)
    assert [refusal["offset"] for refusal in found["refused"]] == [len(GOOD)]


ODD_BYTES = {
    "byte order mark": codecs.BOM_UTF8 + GOOD.encode(),
    "UTF-16": codecs.BOM_UTF16_LE + GOOD.encode("utf-16-le"),
    "CRLF": GOOD.replace("\n", "\r\n").encode(),
    "gzip": gzip.compress(GOOD.encode()),
    "zstd": zstandard.compress(GOOD.encode()),
    "no newline at the end": GOOD.rstrip("\n").encode(),
}


@pytest.mark.parametrize("name", ODD_BYTES)
def test_every_way_to_store_text_is_read_alike(name: str, tmp_path: Path, capsys: Capture) -> None:
    path = written(tmp_path, ODD_BYTES[name])
    [found] = json.loads(effspark(capsys, "check", path, "--json").out)
    assert (found["reader"], found["mapped"], found["refused"]) == ("openai_batch", 2, [])
    ours = json.loads(effspark(capsys, "quick", path, "--json").out)
    plain = json.loads(effspark(capsys, "quick", written(tmp_path, GOOD, "plain.jsonl"), "--json").out)
    assert ours == plain
    assert ours["models"][0]["n_tokens"] == 20


def test_an_unknown_stop_reason_is_no_refusal_but_leaves_completion_unknown(
    tmp_path: Path, capsys: Capture
) -> None:
    def change(row: dict[str, Any]) -> None:
        row["response"]["body"]["choices"][0]["finish_reason"] = "weird"

    path = written(tmp_path, answer("a", change))
    [found] = json.loads(effspark(capsys, "check", path, "--json").out)
    assert (found["refused"], [stop["finish_reason_raw"] for stop in found["unknown_stops"]]) == (
        [],
        ["weird"],
    )
    told = effspark(capsys, "quick", path)
    assert "m-1: the logs do not say whether runs finished (" in told.out
    assert f"a stop reason that is not known ({path}): found 'weird' on 1 run; allowed: stop" in told.err


REFUSED_FILES = {
    "an unknown format": (b"\x00\x01 no log", "found 9 bytes that begin"),
    "an empty file": (b"", "found an empty file"),
}


@pytest.mark.parametrize("name", REFUSED_FILES)
def test_a_file_that_no_reader_knows_ends_with_code_1_and_one_message(
    name: str, tmp_path: Path, capsys: Capture
) -> None:
    content, found = REFUSED_FILES[name]
    path = written(tmp_path, content)
    checked, quick = (effspark(capsys, command, path) for command in ("check", "quick"))
    assert "unknown_format" in checked.out
    assert quick.out == ""
    for told in (checked, quick):
        assert (told.code, told.err.count("\n")) == (1, 1)
        assert told.err.startswith(f"effspark: unknown log format ({path}): {found}")
        words = ("allowed: the formats that `effspark formats` lists", "--format", "--mapping")
        assert [word for word in words if word not in told.err] == []


def test_a_missing_path_and_an_empty_folder_end_with_code_1_and_one_message(
    tmp_path: Path, capsys: Capture
) -> None:
    (tmp_path / "void").mkdir()
    for command in ("check", "quick"):
        for path, what in (
            (tmp_path / "nowhere", "no such file or folder"),
            (tmp_path / "void", "nothing to read"),
        ):
            told = effspark(capsys, command, path)
            assert (told.code, told.out, told.err.count("\n")) == (1, "", 1)
            assert told.err.startswith(f"effspark: {what} ({path}): found ")
            assert "allowed: log files, or folders of them; check the path" in told.err


def test_check_says_on_stderr_which_files_of_a_folder_are_not_read(tmp_path: Path, capsys: Capture) -> None:
    (tmp_path / "logs").mkdir()
    written(tmp_path / "logs", json.dumps(golden()), "a.json")
    written(tmp_path / "logs", "x", "_b.json")
    told = effspark(capsys, "check", tmp_path / "logs", "--json")
    assert [Path(row["source_uri"]).name for row in json.loads(told.out)] == ["a.json"]
    assert told.err == (
        f"warning: not read ({tmp_path / 'logs'}): 1 file under a name that begins with . or _ (_b.json); "
        "name such a file itself to read it\n"
    )


def test_a_mapping_that_names_a_missing_column_is_refused_before_any_run_is_made(
    tmp_path: Path, capsys: Capture
) -> None:
    rows = written(tmp_path, "model,id,tokens\nacme,1,5\n", "rows.csv")
    lines = "name: a\nversion: 1\nbenchmark: {value: b}\nmodel: modle\ninstance: id\noutput_tokens: tokens\n"
    mapping = written(tmp_path, lines, "mapping.yaml")
    for command in ("check", "quick"):
        told = effspark(capsys, command, rows, "--mapping", mapping)
        assert (told.code, told.err.count("effspark: ")) == (1, 1)
        words = (
            "no record has: modle",
            str(rows),
            str(mapping),
            "found the columns model, id, tokens",
            "near: model",
        )
        assert [word for word in words if word not in told.err] == []
    written(tmp_path, lines.replace("modle", "model"), "mapping.yaml")
    told = effspark(capsys, "quick", rows, "--mapping", mapping, "--json")
    assert [(model["model"], model["n_tokens"]) for model in json.loads(told.out)["models"]] == [("acme", 5)]


def test_a_truncated_zip_is_one_refused_record_and_no_report(tmp_path: Path, capsys: Capture) -> None:
    whole = zipped(whole_members(golden()))
    path = written(tmp_path, whole[: len(whole) // 2], "cut.eval")
    checked = effspark(capsys, "check", path)
    assert checked.code == 0
    words = (
        "unreadable_file",
        str(path),
        "found File is not a zip file",
        "allowed: a whole zip",
        "copy the log again",
    )
    assert [word for word in words if word not in " ".join(checked.out.split())] == []
    quick = effspark(capsys, "quick", path)
    assert (quick.code, quick.out) == (1, "")
    assert quick.err.splitlines()[-1] == (
        f"effspark: nothing to report ({path}): found no record that became a run; allowed: logs with at least one "
        "run; see with `effspark check` what was refused or not selected, and why"
    )


def test_a_zip_entry_that_points_upwards_is_refused_and_written_nowhere(
    tmp_path: Path, capsys: Capture
) -> None:
    members = whole_members(golden())
    plain = written(tmp_path, zipped(members), "plain.eval")
    odd = written(tmp_path, zipped({**members, "../x": {}}), "odd.eval")
    before = sorted(tmp_path.parent.rglob("*"))
    [ours], [theirs] = (json.loads(effspark(capsys, "check", path, "--json").out) for path in (odd, plain))
    assert (ours["mapped"], ours["quarantined"]) == (theirs["mapped"], theirs["quarantined"] + 1)
    [told] = [refusal["detail"] for refusal in ours["refused"] if refusal["reason"] == "unsafe_member"]
    words = ("../x", "found a path that leads out", "allowed: members inside the log", "copy the log again")
    assert [word for word in words if word not in told] == []
    assert effspark(capsys, "quick", odd).code == 0
    assert sorted(tmp_path.parent.rglob("*")) == before


def test_results_are_on_stdout_and_everything_else_on_stderr(tmp_path: Path, capsys: Capture) -> None:
    told = effspark(capsys, "quick", written(tmp_path, GOOD))
    assert told.out.startswith("unlabelled (judged by nobody)")
    assert told.out.splitlines()[-1].startswith("report ")
    assert told.err == "2 records = 2 mapped + 0 not selected + 0 merged + 0 quarantined; 2 runs emitted\n"
    assert json.loads(effspark(capsys, "quick", tmp_path, "--json").out)["models"][0]["model"] == "m-1"


def test_labels_and_items_beside_the_logs_give_verdicts_and_names(tmp_path: Path, capsys: Capture) -> None:
    log = written(tmp_path, GOOD)
    labels = written(tmp_path, "custom_id,benchmark,instance,correct\na,sums,1,1\nb,sums,2,0\n", "labels.csv")
    items = written(tmp_path, '{"id": 1, "question": "q"}\n{"id": 2, "question": "r"}\n', "items.jsonl")
    beside = ("--labels", labels, "--instances", items)
    told = effspark(capsys, "quick", log, *beside, "--benchmark", "sums", "--json")
    [model] = json.loads(told.out)["models"]
    assert (model["benchmark"], model["scorer"], model["accuracy"], model["E0"]) == ("sums", "label", 0.5, 50)
    assert told.err.startswith("6 records = 6 mapped")
    lacking = effspark(capsys, "quick", log, *beside)
    assert lacking.code == 1
    assert "add --benchmark NAME" in lacking.err


def test_labels_and_runs_that_met_nothing_are_told_beside_the_table(tmp_path: Path, capsys: Capture) -> None:
    log = written(tmp_path, GOOD)
    labels = written(tmp_path, "custom_id,benchmark,instance,correct\na,sums,1,1\nz,sums,2,0\n", "labels.csv")
    items = written(tmp_path, '{"id": 2, "question": "r"}\n', "items.jsonl")
    told = effspark(capsys, "quick", log, "--labels", labels, "--instances", items, "--benchmark", "sums")
    assert told.code == 0
    assert told.err.splitlines()[1:] == [
        "warning: sums: 1 label met no run: custom_id z",
        "warning: sums: 2 runs met no item of the benchmark: instance 1, instance b",
        "warning: sums: 1 run met no label: instance b",
    ]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["check"], "Missing argument"),
        (["quick", "x", "--nope"], "No such option: --nope"),
        (["nope"], "No such command 'nope'"),
        (["ingest", "--lake", "x"], "pass PATH…, --instances FILE or --labels FILE"),
        (["simulate", "--out", "x", "--seed", "y"], "--seed"),
    ],
)
def test_wrong_usage_ends_with_code_2(arguments: list[str], words: str, capsys: Capture) -> None:
    told = effspark(capsys, *arguments)
    assert (told.code, told.out) == (2, "")
    assert words in told.err


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["check", "x", "--set", "report.nope=1"], "report.nope"),
        (["quick", "x", "--conf", "/nowhere.yaml"], "/nowhere.yaml"),
        (["check", "x", "--mapping", "/nowhere.yaml"], "a mapping cannot be read (/nowhere.yaml)"),
        (
            ["check", __file__, "--format", "nope"],
            "found nope; allowed: auto, inspect_ai, openai_batch, ",
        ),
        (["tables", "runz"], "unknown table runz; there are: aliases, "),
        (["tables", "--output", "xml"], "found xml; allowed: table, csv, json, markdown"),
        (["sql", "SELECT 1"], "pass --lake LAKE or set EFFSPARK_LAKE"),
        (["sql", "SELECT 1", "--lake", "/nowhere"], "no lake (/nowhere)"),
        (["sql", "SELECT 1", "--lake", "/nowhere", "--engine", "x"], "found x; allowed: duckdb, spark"),
        (["measure"], "pass --lake LAKE or set EFFSPARK_LAKE"),
        (["report"], "pass --lake LAKE or set EFFSPARK_LAKE"),
        (["ingest", "x"], "pass --lake LAKE or set EFFSPARK_LAKE"),
    ],
)
def test_what_cannot_be_done_ends_with_code_1_and_says_what_is_allowed(
    arguments: list[str], words: str, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("EFFSPARK_LAKE", raising=False)
    told = effspark(capsys, *arguments)
    assert (told.code, told.out, told.err.count("effspark: ")) == (1, "", 1)
    assert words in told.err


def test_help_names_every_command_and_no_command_at_all_is_wrong_usage(capsys: Capture) -> None:
    told = effspark(capsys, "--help")
    commands = ("ingest", "measure", "report", "quick", "check", "sql", "tables", "simulate", "demo")
    assert (told.code, told.err) == (0, "")
    assert [name for name in commands if f" {name} " not in told.out] == []
    assert effspark(capsys).code == 2
    for name in commands:
        assert effspark(capsys, name, "--help").code == 0


def test_simulated_logs_are_written_once_and_never_over_other_files(tmp_path: Path, capsys: Capture) -> None:
    told = effspark(capsys, "simulate", "--out", tmp_path / "sim", "--seed", "2")
    assert told == (0, "", f"logs, items, labels and truth.json are in {tmp_path / 'sim'}\n")
    assert json.loads((tmp_path / "sim" / "truth.json").read_text("utf-8"))["seed"] == 2
    again = effspark(capsys, "simulate", "--out", tmp_path / "sim")
    assert again.code == 1
    assert "allowed: an empty or new folder" in again.err


def test_tables_are_listed_and_described(capsys: Capture) -> None:
    listed = json.loads(effspark(capsys, "tables", "--json").out)
    assert json.loads(effspark(capsys, "formats", "--json").out)[0]["format"] == "inspect_ai"
    assert [row["table"] for row in listed] == [*tables.names(), *local_sql.views()]
    described = list(csv.DictReader(io.StringIO(effspark(capsys, "tables", "runs", "--output", "csv").out)))
    assert [row["column"] for row in described] == list(tables.columns("runs"))
    shown = effspark(capsys, "tables", "runs").out
    assert "T: all generated tokens, reasoning included" in shown


def test_a_lake_is_asked_in_sql_without_java(
    tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    alias = {"kind": "model", "raw": "a", "canonical": "b [c]", "version": 1}
    delta.write(tmp_path, "aliases", [alias])
    query = ("sql", "SELECT raw, canonical FROM aliases")
    told = effspark(capsys, *query, "--lake", tmp_path, "--json")
    assert (told.code, json.loads(told.out), told.err) == (0, [{"raw": "a", "canonical": "b [c]"}], "")
    monkeypatch.setenv("EFFSPARK_LAKE", str(tmp_path))
    assert effspark(capsys, *query, "--output", "csv").out == "raw,canonical\na,b [c]\n"
    assert "b [c]" in effspark(capsys, *query).out
    wrong = effspark(capsys, "sql", "SELECT nope FROM aliases")
    assert (wrong.code, wrong.out) == (1, "")
    assert "allowed: tables and views aliases" in wrong.err
    assert "aliases" in effspark(capsys, "tables", "--lake", tmp_path).out
