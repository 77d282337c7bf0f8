from __future__ import annotations

import json
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import msgspec
import pytest

from effspark.readers.files import Log
from effspark.readers.lighteval_results import Evaluation, Results, bare, evaluation_of, is_results

NOW = datetime(2026, 1, 1, tzinfo=timezone.utc)
TIME = "2026-01-02T03-04-05.000001"


def evaluation(task: str = "gsm8k|0", tasks: dict[str, Any] | None = None, **general: Any) -> Evaluation:
    document = {"config_general": general, "versions": {"gsm8k|0": 2}, "config_tasks": tasks or {}}
    return Evaluation(msgspec.convert(document, Results), task)


def results(folder: Path, name: str = f"results_{TIME}.json", model: str = "acme/m7") -> None:
    folder.mkdir(parents=True, exist_ok=True)
    general = {"lighteval_sha": "?", "model_name": model}
    (folder / name).write_text(json.dumps({"config_general": general}))


def found_for(path: Path) -> Evaluation | str:
    return evaluation_of(Log(str(path), 1, NOW))


def test_shots_are_no_part_of_a_task() -> None:
    assert bare("custom|aime24|0|0") == "custom|aime24"
    assert bare("task|a1") == "task|a1"


def test_model_and_revision_stand_in_either_layout() -> None:
    older = evaluation(model_name="acme/base", model_sha="82047f5e")
    configuration = older.configuration(None)
    assert (configuration.request_model, configuration.model_revision) == ("acme/base", "82047f5e")
    settings = {"model_name": "acme/m7", "revision": "main", "provider": "together"}
    configuration = evaluation(model_config=settings).configuration(None)
    assert (configuration.request_model, configuration.model_revision) == ("acme/m7", "main")
    assert configuration.provider_route == "together"


def test_the_size_of_the_run_outranks_document_and_task() -> None:
    tasks = {"gsm8k|0": {"generation_size": 256}}
    assert evaluation(tasks=tasks).configuration(None).output_budget_tokens == 256
    assert evaluation(tasks=tasks).configuration(64).output_budget_tokens == 64
    of_run = evaluation(tasks=tasks, generation_parameters={"max_new_tokens": 8})
    assert of_run.configuration(64).output_budget_tokens == 8
    assert evaluation(tasks={"gsm8k|0": "text"}).configuration(None).output_budget_tokens is None


def test_the_version_of_a_task_stands_in_either_place() -> None:
    assert evaluation().version == "2"
    tasks = {"math|0": {"version": 3}, "text|0": "settings"}
    assert [evaluation(task, tasks).version for task in ("math|0", "text|0", "other|0")] == ["3", None, None]


def test_parameters_that_were_not_set_do_not_make_another_eval_run() -> None:
    old = evaluation(model_name="m", generation_parameters={"temperature": 0.6})
    new = evaluation(model_name="m", generation_parameters={"temperature": 0.6, "min_p": None})
    ids = {one.eval_run_id("gsm8k", one.configuration(64)) for one in (old, new)}
    assert len(ids) == 1


def test_results_of_lighteval_are_told_from_those_of_others(tmp_path: Path) -> None:
    results(tmp_path, "a.json")
    assert is_results(Log(str(tmp_path / "a.json"), 1, NOW))
    (tmp_path / "b.json").write_text('{"config_general": {"model": "m"}}')
    assert not is_results(Log(str(tmp_path / "b.json"), 1, NOW))


def test_the_nearest_results_file_of_the_time_counts(tmp_path: Path) -> None:
    folder = tmp_path / "out/details/acme/m7" / TIME
    path = folder / f"details_gsm8k|0_{TIME}.parquet"
    folder.mkdir(parents=True)
    assert found_for(path) == "0 results files that can be its own"
    for place, model in (
        (tmp_path / "out/results/acme/m7", "tree"),
        (folder.parent, "above"),
        (folder, "beside"),
    ):
        results(place, model=model)
        found = found_for(path)
        assert isinstance(found, Evaluation)
        assert (found.model, found.task) == (model, "gsm8k|0")


def test_renamed_details_take_the_one_results_file_beside_them(tmp_path: Path) -> None:
    results(tmp_path, "summary.json")
    path = tmp_path / "mine.parquet"
    found = found_for(path)
    assert isinstance(found, Evaluation)
    assert (found.model, found.task, found.version) == ("acme/m7", "", None)
    results(tmp_path, "other.json")
    assert found_for(path) == "2 results files that can be its own"


@pytest.mark.parametrize(
    "text", ['{"config_general": {"lighteval_sha": "?"', '{"config_general": {"lighteval_sha": 3}}']
)
def test_results_that_cannot_be_read_are_told(text: str, tmp_path: Path) -> None:
    (tmp_path / f"results_{TIME}.json").write_text(text)
    found = found_for(tmp_path / f"details_gsm8k|0_{TIME}.parquet")
    assert isinstance(found, str)
    assert f"results_{TIME}.json, which cannot be read" in found
