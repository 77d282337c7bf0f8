"""Files that the place of a log points to."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from effspark.errors import LogError
from effspark.readers import Options, batch_requests, companions, files, plan, staged_rows, staging
from effspark.readers.companions import beside, file_at, parent
from effspark.readers.files import Log
from tests.core.readers.small_logs import NOW, log_of

GOLDEN = Path(__file__).resolve().parents[2] / "golden" / "runs"
CASES = {
    "openai_error_file_with_input": ("batch_error.jsonl", "requests.jsonl", {"no_model"}),
    "anthropic_batch_failed": ("results.jsonl", "requests.jsonl", {"no_model"}),
    "helm_folder": ("gsm/scenario_state.json", "gsm/per_instance_stats.json", {"no_scores"}),
    "lighteval_layouts": (
        "current/details_gsm8k_2026-01-02T03-04-05.000001.parquet",
        "current/results_2026-01-02T03-04-05.000001.json",
        {"no_model"},
    ),
    "lm_eval_filters": (
        "acme__m7/samples_gsm8k_2026-01-02T03-04-05.000001.jsonl",
        "acme__m7/results_2026-01-02T03-04-05.000001.json",
        {"no_model"},
    ),
    "opencompass_outputs": (
        "20260301_100000/predictions/qwen3-8b/gsm8k.json",
        "20260301_100000/results/qwen3-8b/gsm8k.json",
        {"unreadable_companion"},
    ),
    "reasoning_gym_run": (
        "acme_thinker_20260301_100000/logic/zebra_puzzles.json",
        "acme_thinker_20260301_100000/summary.json",
        {"no_model"},
    ),
}
"""A log, a file beside it that some of its records need, and what becomes of those that cannot have it."""

Rows = dict[str, list[dict[str, Any]]]


@pytest.fixture
def shut(monkeypatch: pytest.MonkeyPatch) -> Callable[[Path], None]:
    """Make a file one that nobody may open."""
    whole = files.filesystem_of

    def close(path: Path) -> None:
        class Guard:
            def open_input_file(self, name: str) -> Any:
                raise PermissionError(13, "Permission denied", name)

        monkeypatch.setattr(
            files, "filesystem_of", lambda uri: (Guard(), uri) if uri == str(path) else whole(uri)
        )

    return close


def staged(path: Path) -> Rows:
    items = plan.items([log_of(path)], Options(benchmark="b"), team="t")
    batches = [batch for item in items for batch in staging.stage(item)]
    return {kind: staged_rows.of_kind(iter(batches), kind).to_pylist() for kind in staged_rows.KINDS}


def test_a_file_is_found_by_path_and_by_uri(tmp_path: Path) -> None:
    path = tmp_path / "a b|c.json"
    path.write_bytes(b"{}")
    found = file_at(str(path))
    assert found is not None
    assert (found.uri, found.size, found.content()) == (str(path), 2, b"{}")
    plain = tmp_path / "plain.json"
    plain.write_bytes(b"[]")
    remote = file_at(plain.as_uri())
    assert remote is not None
    assert remote.content() == b"[]"


def test_a_folder_is_no_file_and_what_is_not_there_is_nothing(tmp_path: Path) -> None:
    assert file_at(str(tmp_path)) is None
    assert file_at(str(tmp_path / "none" / "a.json")) is None


@pytest.mark.parametrize(
    ("uri", "levels", "folder"),
    [
        ("s3://bucket/a/b.json", 1, "s3://bucket/a"),
        ("/a/b/c.json", 2, "/a"),
        ("c.json", 3, "."),
        ("a/c.json", 1, "a"),
    ],
)
def test_a_parent_is_the_folder_so_many_levels_above(uri: str, levels: int, folder: str) -> None:
    assert parent(uri, levels) == folder


@pytest.mark.parametrize("case", CASES)
def test_a_companion_that_nobody_may_open_costs_only_the_records_that_need_it(
    case: str, tmp_path: Path, shut: Callable[[Path], None]
) -> None:
    log, companion, reasons = CASES[case]
    shutil.copytree(GOLDEN / case / "logs", tmp_path / "logs")
    whole = staged(tmp_path / "logs" / log)
    shut(tmp_path / "logs" / companion)
    companions._looked.cache_clear()
    batch_requests._asked_in.cache_clear()
    found = staged(tmp_path / "logs" / log)
    refused = {row["source_offset"]: row for row in found["quarantine"]}
    for row in whole["quarantine"]:
        refused.pop(row["source_offset"])
    assert {row["reason"] for row in refused.values()} == reasons
    for row in refused.values():
        assert f"{companion}): found" in row["detail"]
        assert "Permission denied" in row["detail"]
        assert row["raw"]
    assert found["counts"][0]["records"] == whole["counts"][0]["records"]


def test_a_good_row_beside_an_unreadable_file_is_a_run(tmp_path: Path, shut: Callable[[Path], None]) -> None:
    shutil.copytree(GOLDEN / "openai_error_file_with_input" / "logs", tmp_path / "logs")
    answers = (GOLDEN / "openai_vllm_run_batch" / "logs" / "results.jsonl").read_text("utf-8")
    log = tmp_path / "logs" / "batch_error.jsonl"
    log.write_text(log.read_text("utf-8") + answers, "utf-8")
    shut(tmp_path / "logs" / "requests.jsonl")
    assert {"v1", "v2"} <= {run["instance_id"] for run in staged(log)["runs"]}


def test_lines_of_promptfoo_beside_an_unreadable_document_are_runs(
    tmp_path: Path, shut: Callable[[Path], None]
) -> None:
    shutil.copytree(GOLDEN / "promptfoo_lines" / "logs", tmp_path / "logs")
    log, document = tmp_path / "logs" / "results.jsonl", tmp_path / "logs" / "results.json"
    whole = staged(log)
    document.write_text("{}")
    shut(document)
    assert staged(log)["counts"] == whole["counts"]


def test_a_folder_that_cannot_be_listed_holds_nothing_and_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(log: Log) -> list[Log]:
        raise LogError(f"{log.uri}: shut")

    monkeypatch.setattr(Log, "siblings", refused)
    assert beside(Log(str(tmp_path / "a"), 0, NOW)) == ([], [f"{tmp_path}/a: shut"])


def test_every_log_of_a_folder_asks_and_each_file_is_looked_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in "abcd":
        (tmp_path / name).write_text(name)
    looked: list[str] = []

    def may_hold(log: Log) -> bool:
        looked.append(log.uri)
        return log.uri.endswith("b")

    for name in "acda":
        assert [one.uri for one in companions.holders(log_of(tmp_path / name), may_hold).logs] == [
            str(tmp_path / "b")
        ]
    assert len(looked) == len(set(looked)) == 4
    (tmp_path / "b").write_text("longer")
    companions.holders(log_of(tmp_path / "a"), may_hold)
    assert looked.count(str(tmp_path / "b")) == 2
