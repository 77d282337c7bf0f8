from __future__ import annotations

import json
import re
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import pytest

from effspark.readers.files import Log
from effspark.readers.helm_folder import benchmark_of, folder_of, is_companion, is_state, key_of, verdicts

NOW = datetime(2026, 1, 1, tzinfo=timezone.utc)


def log(path: Path, document: Any) -> Log:
    path.write_text(json.dumps(document), "utf-8")
    return Log(str(path), path.stat().st_size, NOW)


def test_requests_need_the_names_of_an_adapter(tmp_path: Path) -> None:
    whole = {"adapter_spec": {"method": "generation", "max_train_instances": 5}, "request_states": []}
    assert is_state(log(tmp_path / "a.json", whole))
    assert not is_state(log(tmp_path / "a.json", {"adapter_spec": {"method": "generation"}}))
    assert not is_companion(log(tmp_path / "a.json", whole))


@pytest.mark.parametrize(
    "document",
    [
        {"name": "gsm", "description": "Grade school math", "tags": []},
        {"name": "gsm", "scenario_spec": {}},
        [{"name": "gsm", "count": 1, "sum": 1, "sum_squared": 1}],
        [{"instance_id": "id1", "stats": []}],
        [],
    ],
)
def test_other_documents_are_no_companions(document: Any, tmp_path: Path) -> None:
    assert not is_companion(log(tmp_path / "a.json", document))


def test_a_key_does_not_depend_on_order_or_nulls() -> None:
    assert key_of("id1", {"b": 1, "a": 2, "c": None}, 0) == key_of("id1", {"a": 2, "b": 1}, 0)
    assert key_of(7, {}, 0) == key_of("7", None, 0) == ("7", "", 0)


def test_a_benchmark_is_the_run_without_its_model() -> None:
    assert benchmark_of("gsm:model=acme_m7,stop=none,model_deployment=acme_m7-chat") == "gsm:stop=none"
    assert benchmark_of("gsm") == "gsm"


def test_statistics_of_one_request_are_joined_from_all_entries(tmp_path: Path) -> None:
    stats = [
        {"instance_id": "id1", "stats": [{"name": {"name": "a"}, "count": 1, "mean": 1.0}]},
        {"instance_id": "id1", "stats": [{"name": {"name": "b"}, "count": 1, "mean": 0.5}]},
        {"instance_id": "id1", "stats": [{"name": {"name": "c"}, "count": 0}]},
    ]
    log(tmp_path / "per_instance_stats.json", stats)
    folder = folder_of(log(tmp_path / "scenario_state.json", {}))
    assert folder.statistics == {("id1", "", 0): {"a": 1.0, "b": 0.5}}
    assert folder.benchmark is None


def test_a_folder_may_hold_nothing_else(tmp_path: Path) -> None:
    folder = folder_of(log(tmp_path / "scenario_state.json", {}))
    assert (folder.benchmark, folder.statistics) == (None, None)


def test_damaged_statistics_are_told_and_are_not_an_absence(tmp_path: Path) -> None:
    state = log(tmp_path / "scenario_state.json", {})
    log(tmp_path / "per_instance_stats.json", [{"instance_id": "id1", "stats": "many"}])
    folder = folder_of(state)
    assert (folder.statistics, list(folder.unreadable)) == (None, ["per_instance_stats"])
    assert re.search(
        r"a file of the run cannot be read \(.*per_instance_stats\.json\)",
        folder.unreadable["per_instance_stats"],
    )


def test_graded_scores_keep_their_scale() -> None:
    found = verdicts({"f1_score": 0.5, "wildbench_score": 8.0, "num_bytes": 3.0, "exact_match@5": 1.0})
    assert [(verdict.scorer, verdict.raw, verdict.value, verdict.kind.value) for verdict in found] == [
        ("f1_score", "0.5", 0.5, "fractional"),
        ("wildbench_score", "8.0", None, "fractional"),
    ]
