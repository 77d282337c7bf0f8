from __future__ import annotations

import io
import json
import zipfile
from typing import Any

import zstandard

from effspark.simulation.draws import runs_of
from effspark.simulation.files import LogFile
from effspark.simulation.inspect_logs import archive, document, logs


def members(file: LogFile) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for info in zipfile.ZipFile(io.BytesIO(file.content)).infolist():
        begin = info.header_offset + 30 + len(info.filename.encode())
        data = file.content[begin : begin + info.compress_size]
        if info.compress_type == 93:
            found[info.filename] = json.loads(zstandard.decompress(data, info.file_size))
        else:
            found[info.filename] = json.loads(zipfile.ZipFile(io.BytesIO(file.content)).read(info))
    return found


def methods(file: LogFile) -> set[int]:
    return {info.compress_type for info in zipfile.ZipFile(io.BytesIO(file.content)).infolist()}


def test_an_archive_has_the_members_of_inspect_in_their_order() -> None:
    file = archive(runs_of("aurora-kestrel-8b-short-gsm8k", count=3, seed=1), seed=1)
    names = list(members(file))
    assert names[0] == "_journal/start.json"
    assert names[-4:] == ["_journal/summaries/1.json", "summaries.json", "reductions.json", "header.json"]
    assert len([name for name in names if name.startswith("samples/gsm8k_")]) == 6
    assert names[1].endswith("_epoch_1.json")


def test_versions_decide_the_compression() -> None:
    old, new = (
        archive(runs_of(f"aurora-kestrel-70b-{name}", count=2, seed=1), seed=1)
        for name in ("gsm8k", "chains")
    )
    assert (methods(old), methods(new)) == ({8}, {93})
    versions = [members(file)["header.json"]["eval"]["packages"]["inspect_ai"] for file in (old, new)]
    assert versions == ["0.3.199", "0.3.285"]


def test_the_header_says_how_the_model_was_asked_and_what_came_of_it() -> None:
    runs = runs_of("aurora-kestrel-8b-short-gsm8k", count=6, seed=1)
    header = members(archive(runs, seed=1))["header.json"]
    assert header["eval"]["model"] == "vllm/kestrel-8b"
    assert header["plan"]["config"] == {"max_tokens": 512, "temperature": 0.6, "seed": 7}
    assert header["results"]["total_samples"] == 12
    labelled = sum(run.labelled for run in runs) / 12
    assert abs(header["results"]["scores"][0]["metrics"]["accuracy"]["value"] - labelled) < 1e-12
    used = header["stats"]["model_usage"]["vllm/kestrel-8b"]["output_tokens"]
    assert used == sum(run.tokens for run in runs)


def test_a_model_without_configured_budget_has_none_in_its_log() -> None:
    header = members(archive(runs_of("aurora-lumen-pro-gsm8k", count=1, seed=1), seed=1))["header.json"]
    assert header["plan"]["config"] == {"seed": 7}


def test_a_crash_leaves_no_header_and_its_retry_holds_every_sample_under_the_same_task() -> None:
    runs = runs_of("aurora-kestrel-8b-chains", count=24, seed=1)
    crash, retry = logs(runs, seed=1)
    first, again = members(crash), members(retry)
    assert "header.json" not in first
    assert "summaries.json" not in first
    specs = [found["_journal/start.json"]["eval"] for found in (first, again)]
    assert specs[0]["task_id"] == specs[1]["task_id"]
    assert specs[0]["eval_id"] != specs[1]["eval_id"]
    assert crash.at < retry.at
    errors = [
        sum("error" in value for name, value in found.items() if name.startswith("samples/"))
        for found in (first, again)
    ]
    assert errors == [7, 2]


def test_the_late_log_replaces_the_first_by_name_and_differs_in_its_verdicts_alone() -> None:
    runs = runs_of("aurora-kestrel-70b-chains", count=24, seed=1)
    (first,), late = logs(runs, seed=1), archive(runs, seed=1, late=True)
    assert (late.path, late.at > first.at) == (first.path, True)
    before, after = members(first), members(late)
    changed = [
        name for name in before if name.startswith("samples/") and str(before[name]) != str(after[name])
    ]
    assert len(changed) == 3
    assert all(len(after[name]["scores"]["match"]["history"]) == 2 for name in changed)
    assert after["header.json"]["log_updates"][0]["provenance"]["author"]
    assert all(before[name]["messages"] == after[name]["messages"] for name in changed)


def test_a_document_holds_the_samples_of_the_archive() -> None:
    runs = runs_of("aurora-wren-flash-gsm8k", count=4, seed=1)
    whole, packed = json.loads(document(runs, seed=1).content), members(archive(runs, seed=1))
    assert whole["samples"] == [value for name, value in packed.items() if name.startswith("samples/")]
    assert whole["eval"] == packed["header.json"]["eval"]
    assert list(whole)[:4] == ["version", "status", "eval", "plan"]


def test_invalidated_samples_mark_their_log() -> None:
    runs = runs_of("aurora-kestrel-70b-gsm8k", count=24, seed=1)
    assert members(archive(runs, seed=1))["header.json"]["invalidated"] is True
