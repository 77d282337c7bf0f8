"""From files to a report without lake or Java: read, merge, name, judge, add up, check."""

from __future__ import annotations

import csv
import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from effspark import laptop, readers, settings, tables
from effspark.errors import LogError
from effspark.laptop import Gathered, Laptop
from effspark.layers.ranking import Standing
from effspark.readers import (
    Options,
    Reader,
)
from tests.core.tiny_reader import TinyReader

COLUMNS = ("model", "id", "try", "ok", "answer", "tokens", "limit", "stop")
MAPPING = {
    "name": "tiny",
    "version": 1,
    "benchmark": {"value": "gsm"},
    "model": "model",
    "instance": "id",
    "attempt": "try",
    "output_tokens": "tokens",
    "output_budget_tokens": "limit",
    "finish_reason": "stop",
    "answer": "answer",
    "verdicts": {"judge": {"value": "ok"}},
}
OPTIONS = Options(mapping=MAPPING)
CONF = settings.load()


def written(path: Path, *rows: Sequence[Any]) -> str:
    with path.open("w", newline="", encoding="utf-8") as stream:
        csv.writer(stream).writerows([COLUMNS, *rows])
    os.utime(path, (1_700_000_000, 1_700_000_000))
    return str(path)


def gathered(*paths: str, **options: Any) -> Gathered:
    return laptop.read(list(paths), OPTIONS, format_name="mapper", **options)


def facts(path: Path, *rows: Mapping[str, Any]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def estimates(found: Gathered, conf: settings.Settings = CONF) -> dict[tuple[str, str, str], float | None]:
    report = laptop.report(laptop.measure(found, conf), conf)
    return {
        (row["model"], row["instance_set"], row["metric"]): row["value"]
        for row in report.tables["estimates"].to_pylist()
        if row["layer"] == "outcome"
    }


def test_logs_become_the_numbers_that_the_definitions_give(tmp_path: Path) -> None:
    path = written(
        tmp_path / "a.csv",
        ("m", "1", 1, 1, "x", 100, 1000, "stop"),
        ("m", "2", 1, 0, "x", 300, 1000, "stop"),
        ("m", "3", 1, 1, "x", 1000, 1000, "length"),
        ("n", "1", 1, 1, "x", 50, 1000, "stop"),
        ("n", "2", 1, 1, "x", 50, 1000, "stop"),
        ("n", "3", 1, 0, "x", 100, 1000, "stop"),
    )
    found = gathered(path)
    report = laptop.report(laptop.measure(found, CONF), CONF)
    by_name = {row["model_id"]: row["model"] for row in report.tables["estimates"].to_pylist()}
    ids = {name: model for model, name in by_name.items()}
    assert report.standings == {
        ("gsm8k", ids["n"]): Standing(1, ids["n"], None),
        ("gsm8k", ids["m"]): Standing(2, ids["n"], None),
    }
    read = estimates(found)
    names = ("E0", "r_ctx", "r_logic", "accuracy", "n_truncated_correct")
    assert [read["m", "shared", name] for name in names] == pytest.approx([1000 / 1400, 2 / 3, 0.5, 1 / 3, 1])
    assert [read["n", "shared", name] for name in names] == pytest.approx([10, 1, 2 / 3, 2 / 3, 0])


def test_the_same_logs_in_other_files_and_order_give_the_same_moments(tmp_path: Path) -> None:
    rows = [("m", str(place), 1, place % 2, "x", 10 + place, 99, "stop") for place in range(6)]
    whole = gathered(written(tmp_path / "whole.csv", *rows))
    parts = [written(tmp_path / "b.csv", *rows[4:]), written(tmp_path / "a.csv", *rows[3::-1])]
    one, other = (laptop.report(laptop.measure(found, CONF), CONF) for found in (whole, gathered(*parts)))
    assert (one.report_id, one.tables["estimates"], one.tables["decompositions"]) == (
        other.report_id,
        other.tables["estimates"],
        other.tables["decompositions"],
    )


def test_a_run_logged_twice_in_a_file_is_merged_and_every_record_is_accounted_for(tmp_path: Path) -> None:
    path = written(
        tmp_path / "a.csv",
        ("m", "1", 1, 0, "x", 100, 1000, "stop"),
        ("m", "2", 1, 1, "x", 100, 1000, "stop"),
        ("m", "1", 1, 1, "y", 70, 1000, "stop"),
        ("m", "", 1, 1, "y", 70, 1000, "stop"),
    )
    found = gathered(path)
    assert laptop.tally(found) == [
        {
            "source_uri": path,
            "records": 4,
            "mapped": 2,
            "not_selected": 0,
            "merged": 1,
            "quarantined": 1,
            "runs": 3,
        }
    ]
    assert sorted(found.tables["runs"]["output_tokens"].to_pylist()) == [70, 100]
    read = estimates(found)
    assert (read["m", "own", "n"], read["m", "own", "n_correct"]) == (2, 2)
    assert found.tables["quarantine"].num_rows == 1


def test_a_run_of_two_teams_files_is_one_run_and_merged_in_neither(tmp_path: Path) -> None:
    row = ("m", "1", 1, 1, "x", 100, 1000, "stop")
    first, second = written(tmp_path / "a.csv", row), written(tmp_path / "b.csv", row)
    found = gathered(first, second)
    assert [one["merged"] for one in laptop.tally(found)] == [0, 0]
    assert estimates(found)["m", "own", "n"] == 1


def test_moments_and_eval_runs_name_every_team_that_logged_a_run(tmp_path: Path) -> None:
    shared = ("m", "1", 1, 1, "x", 100, 1000, "stop")
    first = written(tmp_path / "a.csv", shared, ("m", "2", 1, 1, "x", 100, 1000, "stop"))
    second = written(tmp_path / "b.csv", shared)
    work = laptop.planned([first], OPTIONS, format_name="mapper", team="birch")
    work += laptop.planned([second], OPTIONS, format_name="mapper", team="aurora")
    measured = laptop.measure(laptop.gather(work), CONF)
    named = {(row["instance_id"], row["teams"]) for row in measured.moments.to_pylist()}
    assert named == {("1", "aurora,birch"), ("2", "birch")}
    assert measured.eval_runs["teams"].to_pylist() == ["aurora,birch"]


def test_the_newer_file_wins_whatever_the_order(tmp_path: Path) -> None:
    old = written(tmp_path / "z.csv", ("m", "1", 1, 0, "x", 100, 1000, "stop"))
    new = written(tmp_path / "a.csv", ("m", "1", 1, 1, "x", 20, 1000, "stop"))
    os.utime(new, (1_800_000_000, 1_800_000_000))
    assert (
        estimates(gathered(old, new))["m", "own", "E0"]
        == estimates(gathered(new, old))["m", "own", "E0"]
        == 50.0
    )


def test_items_rescore_the_answers_and_outrank_the_log(tmp_path: Path) -> None:
    path = written(
        tmp_path / "a.csv",
        ("m", "1", 1, 0, "It is 18.", 100, 1000, "stop"),
        ("m", "2", 1, 1, "It is 7.", 100, 1000, "stop"),
    )
    items = facts(
        tmp_path / "items.jsonl",
        {"id": "1", "question": "a?", "answer": "#### 18"},
        {"id": "2", "question": "b?", "answer": "#### 8"},
    )
    found = laptop.read(
        [path],
        Options(mapping=MAPPING, benchmark="gsm8k"),
        companions=[("items", items)],
        format_name="mapper",
    )
    report = laptop.report(laptop.measure(found, CONF), CONF)
    assert {row["scorer"] for row in report.tables["estimates"].to_pylist()} == {"rescored:gsm8k"}
    assert estimates(found)["m", "own", "n_correct"] == 1


def test_labels_that_lie_among_the_logs_are_no_log(tmp_path: Path) -> None:
    written(tmp_path / "a.csv", ("m", "1", 1, "", "x", 100, 1000, "stop"))
    labels = facts(tmp_path / "labels.jsonl", {"benchmark": "gsm", "instance": "1", "correct": True})
    found = gathered(str(tmp_path), companions=[("labels", labels)])
    assert [(row["records"], row["mapped"]) for row in laptop.tally(found)] == [(1, 1), (1, 1)]
    assert found.tables["labels"].num_rows == 1


def test_labels_judge_the_instances_they_name(tmp_path: Path) -> None:
    path = written(
        tmp_path / "a.csv", *(("m", str(place), 1, "", "", 100, 1000, "stop") for place in range(3))
    )
    labels = facts(
        tmp_path / "labels.jsonl",
        *({"benchmark": "gsm8k", "instance": str(place), "correct": place > 0} for place in range(3)),
    )
    read = estimates(gathered(path, companions=[("labels", labels)]))
    assert (read["m", "own", "n"], read["m", "own", "accuracy"]) == (3, pytest.approx(2 / 3))


@pytest.mark.parametrize("benchmark", ["gsm8k", "one that conf does not name"])
def test_a_label_outranks_the_verdict_of_the_log(tmp_path: Path, benchmark: str) -> None:
    path = written(tmp_path / "a.csv", ("m", "1", 1, 0, "", 100, 1000, "stop"))
    labels = facts(tmp_path / "labels.jsonl", {"benchmark": benchmark, "instance": "1", "correct": True})
    options = Options(mapping=MAPPING | {"benchmark": {"value": benchmark}})
    found = laptop.read([path], options, companions=[("labels", labels)], format_name="mapper")
    report = laptop.report(laptop.measure(found, CONF), CONF)
    assert {row["scorer"] for row in report.tables["estimates"].to_pylist()} == {"label"}
    assert estimates(found)["m", "own", "n_correct"] == 1


def test_a_scorer_of_the_log_that_is_called_label_counts_no_run_twice(tmp_path: Path) -> None:
    """The log's scorer of that name is kept apart: a label is a label, and what it leaves out is unscored."""
    path = written(
        tmp_path / "a.csv",
        ("m", "1", 1, 0, "", 100, 1000, "stop"),
        ("m", "2", 1, 0, "", 100, 1000, "stop"),
    )
    labels = facts(tmp_path / "labels.jsonl", {"benchmark": "gsm8k", "instance": "1", "correct": True})
    mapping = MAPPING | {"verdicts": {"label": {"value": "ok"}}}
    found = laptop.read(
        [path], Options(mapping=mapping), companions=[("labels", labels)], format_name="mapper"
    )
    measured = laptop.measure(found, CONF)
    judged = zip(*(measured.verdicts[name].to_pylist() for name in ("scorer", "correct")), strict=True)
    assert sorted(judged) == [("label", True), ("log:label", False), ("log:label", False)]
    read = estimates(found)
    assert [read["m", "own", name] for name in ("n", "n_correct", "n_unscored")] == [1, 1, 1]


def test_eval_runs_count_their_runs_and_name_their_budget(tmp_path: Path) -> None:
    path = written(
        tmp_path / "a.csv",
        ("m", "1", 1, 1, "", 100, 512, "stop"),
        ("m", "2", 1, 1, "", 100, 4096, "stop"),
        ("n", "1", 1, 1, "", 100, 512, "stop"),
    )
    found = laptop.measure(gathered(path), CONF).eval_runs.to_pylist()
    assert sorted((row["model"], row["output_budget"], row["runs"], row["teams"]) for row in found) == [
        ("m", "varies", 1, "laptop"),
        ("m", "varies", 1, "laptop"),
        ("n", "512", 1, "laptop"),
    ]
    assert len({row["model_id"] for row in found}) == 2


def test_one_instance_under_two_budgets_makes_two_models_in_any_order_of_files(tmp_path: Path) -> None:
    small = written(tmp_path / "a.csv", *(("m", str(n), 1, 1, "", 100, 512, "stop") for n in range(3)))
    large = written(tmp_path / "b.csv", *(("m", str(n), 1, 1, "", 900, 4096, "stop") for n in range(3)))
    mixed = written(
        tmp_path / "c.csv", *(("m", str(n), 1, 1, "", 9, b, "stop") for n in range(3) for b in (512, 4096))
    )
    for paths in ([small, large], [large, small], [mixed]):
        found = laptop.measure(gathered(*paths), CONF).eval_runs.to_pylist()
        assert sorted((row["output_budget"], row["runs"]) for row in found) == [("4096", 3), ("512", 3)]
        assert len({row["model_id"] for row in found}) == 2


def test_a_budget_that_changes_inside_a_named_eval_run_varies(tmp_path: Path) -> None:
    rows = [("m", "1", 1, 1, "", 100, 512, "stop"), ("m", "2", 1, 1, "", 100, 4096, "stop")]
    one = {**MAPPING, "eval_run": {"value": "nightly"}}
    path = written(tmp_path / "a.csv", *rows)
    found = laptop.measure(laptop.read([path], Options(mapping=one), format_name="mapper"), CONF)
    assert [row["output_budget"] for row in found.eval_runs.to_pylist()] == ["varies"] * 2
    assert len({row["model_id"] for row in found.eval_runs.to_pylist()}) == 1


def test_aliases_of_conf_join_benchmarks_and_models(tmp_path: Path) -> None:
    conf = settings.load(overrides=["aliases.model.m-2024=m", "aliases.benchmark.gsm=maths"])
    path = written(
        tmp_path / "a.csv", ("m", "1", 1, 1, "", 100, 9, "stop"), ("m-2024", "2", 1, 1, "", 100, 9, "stop")
    )
    measured = laptop.measure(gathered(path), conf)
    assert set(measured.moments["benchmark_id"].to_pylist()) == {"maths"}
    assert estimates(gathered(path), conf)["m", "own", "n"] == 2
    assert {(row["kind"], row["raw"]) for row in laptop.alias_table(conf).to_pylist()} >= {
        ("model", "m-2024"),
        ("benchmark", "gsm"),
    }
    assert laptop.answer_rules(conf)["gsm8k"] == "gsm8k"


@pytest.mark.parametrize("last", ["a.csv", "b.csv"])
def test_a_log_that_tells_less_of_an_instance_erases_nothing(tmp_path: Path, last: str) -> None:
    facts = {"gold": "right", "question": "asked", "axes": {"depth": "depth"}}
    told = Options(mapping={**MAPPING, **facts})
    columns = [*COLUMNS, "right", "asked", "depth"]
    rows = {
        "a.csv": ("m", "1", 1, 1, "x", 100, 1000, "stop", "42", "", 3),
        "b.csv": ("n", "1", 1, 1, "x", 100, 1000, "stop", "", "How many?", ""),
    }
    for name, row in rows.items():
        with (tmp_path / name).open("w", newline="", encoding="utf-8") as stream:
            csv.writer(stream).writerows([columns, row])
        os.utime(tmp_path / name, (1_700_000_000 + (name == last),) * 2)
    found = laptop.read([str(tmp_path)], told, format_name="mapper").tables["instances"].to_pylist()
    assert sorted((row["holds"], row["gold"], row["question"]) for row in found) == [
        ("gold, axis depth", "42", None),
        ("question", None, "How many?"),
    ]


@pytest.fixture
def tiny(monkeypatch: pytest.MonkeyPatch) -> None:
    reader: Reader = TinyReader()
    known = {**readers.registry(), "tiny": reader}
    monkeypatch.setattr(readers, "registry", lambda: known)


@pytest.mark.usefixtures("tiny")
def test_records_add_up_with_several_runs_a_record(tmp_path: Path) -> None:
    path = tmp_path / "words.txt"
    path.write_text("#tiny\na\nb\na\nbad\n")
    found = laptop.read([str(path)], Options())
    assert laptop.tally(found) == [
        {
            "source_uri": str(path),
            "records": 5,
            "mapped": 2,
            "not_selected": 1,
            "merged": 1,
            "quarantined": 1,
            "runs": 6,
        }
    ]
    assert estimates(found)["m", "own", "n"] == 4


def test_paths_that_are_missing_or_that_nobody_can_read_are_refused(tmp_path: Path) -> None:
    (tmp_path / "a.bin").write_bytes(b"\x00\x01")
    (tmp_path / "b.bin").write_bytes(b"\x00\x02")
    with pytest.raises(LogError, match="no such file or folder"):
        laptop.planned([str(tmp_path / "absent")], Options())
    with pytest.raises(LogError, match="2 files, none of a known format"):
        laptop.read([str(tmp_path)], Options())


def test_the_engine_holds_frames_as_they_are(tmp_path: Path) -> None:
    engine = Laptop()
    frame = engine.frame(tables.from_rows("aliases", []))
    assert engine.kept(frame) is frame


def test_a_run_of_helm_is_judged_by_exact_match_not_by_an_overlap(samples: Path) -> None:
    name = "narrative_qa-model-openai_gpt2__"
    paths = [str(path) for path in sorted((samples / "logs" / "helm").glob(f"{name}*"))]
    found = laptop.report(laptop.measure(laptop.read(paths, Options()), CONF), CONF)
    assert {(row["benchmark_id"], row["scorer"]) for row in found.tables["estimates"].to_pylist()} == {
        ("narrative_qa", "exact_match")
    }


def test_one_run_met_through_two_formats_is_told_under_its_canonical_names(tmp_path: Path) -> None:
    table = written(
        tmp_path / "log.csv", *(["m", place, "1", "1", "x", 100 + place, "", "stop"] for place in range(3))
    )
    answers = [
        {
            "custom_id": str(place),
            "response": {
                "status_code": 200,
                "body": {
                    "model": "m-2026",
                    "choices": [{"index": 0, "finish_reason": "stop", "message": {"content": "y"}}],
                    "usage": {
                        "prompt_tokens": 1,
                        "completion_tokens": 100 + place,
                        "total_tokens": 101 + place,
                    },
                },
            },
        }
        for place in range(3)
    ]
    batch = facts(tmp_path / "batch.jsonl", *answers)
    items = laptop.planned([table], OPTIONS, format_name="mapper")
    items += laptop.planned([str(batch)], Options(benchmark="gsm8k"))
    settled = settings.load(overrides=["aliases.model.m-2026=m"])
    (pair,) = laptop.measure(laptop.gather(items), settled).duplicates.to_pylist()
    assert (pair["benchmark"], pair["model"]) == ("gsm8k", "m")
    assert (pair["source_format"], pair["other_format"]) == ("mapper", "openai_batch")
    assert (pair["compared"], pair["same_tokens"], pair["same_text"]) == (3, 3, 0)
    assert laptop.measure(laptop.gather(items[:1]), settled).duplicates.num_rows == 0


def test_eval_runs_say_what_is_odd_about_how_many_of_their_runs(tmp_path: Path) -> None:
    path = written(
        tmp_path / "a.csv",
        ("m", "1", 1, 1, "x", 1000, 1000, "stop"),
        ("m", "2", 1, 1, "x", 1000, 1000, "stop"),
        ("m", "3", 1, 1, "x", 300, 1000, "stop"),
        ("n", "1", 1, 1, "x", 300, 1000, "stop"),
    )
    measured = laptop.measure(gathered(path), CONF)
    assert {row["model"]: row["quality_flags"] for row in measured.eval_runs.to_pylist()} == {
        "m": ["stop_at_cap=2"],
        "n": [],
    }
    (told,) = [text for text in laptop.report(measured, CONF).warnings if "may have been cut" in text]
    assert told.endswith(": m (2 of 3 runs)")


def test_a_run_that_failed_twice_alike_and_then_answered_was_retried_twice(tmp_path: Path) -> None:
    lines = [
        {"model": "m", "id": "1", "try": 1, "state": "error", "at": "2026-01-01T00:00:00Z"},
        {"model": "m", "id": "1", "try": 1, "state": "error", "at": "2026-01-02T00:00:00Z"},
        {"model": "m", "id": "1", "try": 1, "tokens": 50, "at": "2026-01-03T00:00:00Z"},
        {"model": "m", "id": "1", "try": 1, "tokens": 50, "at": "2026-01-04T00:00:00Z"},
    ]
    files = [facts(tmp_path / f"{place}.jsonl", line) for place, line in enumerate(lines)]
    known = {name: MAPPING[name] for name in ("name", "version", "benchmark", "model", "instance", "attempt")}
    optional = {
        "output_tokens": {"column": "tokens", "optional": True},
        "status": {"column": "state", "optional": True},
        "log_version": "at",
    }
    found = laptop.read([*map(str, files)], Options(mapping=known | optional), format_name="mapper")
    (run,) = found.tables["runs"].to_pylist()
    assert (run["output_tokens"], run["n_retries"]) == (50, 2)
