"""A budget that changes from request to request identifies no eval run; one that a whole log shares does."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import datetime, timezone
from pathlib import Path

import pytest

from effspark import laptop, settings
from effspark.errors import LogError
from effspark.readers import Entry, Mapped, NotSelected, Options
from effspark.readers.budgets import FIRST_RECORDS, with_budgets_told
from effspark.readers.files import Log
from effspark.runs.record import Configuration, LoggedRun

LOG = Log("a.jsonl", 1, datetime(2026, 1, 1, tzinfo=timezone.utc))
CONF = settings.load()


def run(place: int, budget: int | None, model: str = "m") -> LoggedRun:
    asked = Configuration(request_model=model, output_budget_tokens=budget)
    return LoggedRun(configuration=asked, benchmark_id="b", instance_id=place)


def marks(*runs: LoggedRun) -> set[bool]:
    def read(log: Log) -> Iterator[Entry]:
        yield NotSelected(0, "request")
        for place, one in enumerate(runs):
            if place >= log.start:
                yield Mapped(place, (one,), "")

    entries = with_budgets_told(read, Log(LOG.uri, LOG.size, LOG.modified, start=len(runs) - 1))
    return {one.budget_per_request for entry in entries if isinstance(entry, Mapped) for one in entry.runs}


@pytest.mark.parametrize(
    ("budgets", "told"),
    [([512, 512, 512], False), ([512, 1024, 512], True), ([None, 512, 512], True), ([None, None], False)],
)
def test_runs_are_marked_where_the_first_records_of_the_whole_file_differ(
    budgets: Sequence[int | None], told: bool
) -> None:
    assert marks(*(run(place, budget) for place, budget in enumerate(budgets))) == {told}


def test_two_models_may_each_have_a_budget_of_their_own() -> None:
    assert marks(run(0, 1, "m"), run(1, 2, "n"), run(2, 1, "m")) == {False}


def test_a_log_is_read_once_and_of_a_range_no_more_than_the_start_besides() -> None:
    seen = 0

    def read(_: Log) -> Iterator[Entry]:
        nonlocal seen
        for place in range(10 * FIRST_RECORDS):
            seen += 1
            yield Mapped(place, (run(place, 9),), "")

    assert sum(1 for _ in with_budgets_told(read, LOG)) == seen == 10 * FIRST_RECORDS
    assert sum(1 for _ in with_budgets_told(read, replace(LOG, start=1))) == 10 * FIRST_RECORDS
    assert seen == 21 * FIRST_RECORDS


def test_where_a_log_breaks_what_stood_before_is_kept_and_the_break_told() -> None:
    def read(_: Log) -> Iterator[Entry]:
        yield Mapped(0, (run(0, 9),), "")
        raise LogError("cut")

    entries = with_budgets_told(read, LOG)
    assert isinstance(next(entries), Mapped)
    with pytest.raises(LogError, match="cut"):
        next(entries)


def answer(custom_id: str, budget: int) -> str:
    """A batch row of a Response, which repeats its budget."""
    body = {
        "object": "response",
        "model": "o4-mini",
        "status": "completed",
        "created_at": 1764445002,
        "max_output_tokens": budget,
        "output": [{"type": "message", "content": [{"type": "output_text", "text": "18"}]}],
        "usage": {"input_tokens": 9, "output_tokens": 20},
    }
    return json.dumps({"custom_id": custom_id, "response": {"status_code": 200, "body": body}, "error": None})


def models(folder: Path, **files: Sequence[int]) -> list[tuple[str | None, int]]:
    """Budget and number of runs of each model that batches of Responses to questions 0, 1, ... give."""
    for name, budgets in files.items():
        rows = [answer(f"q{place}", budget) for place, budget in enumerate(budgets)]
        (folder / f"{name}.jsonl").write_text("\n".join(rows) + "\n", "utf-8")
    found = laptop.read([str(folder)], Options(benchmark="b"))
    eval_runs = laptop.measure(found, CONF).eval_runs.to_pylist()
    summed: dict[tuple[str, str | None], int] = {}
    for row in eval_runs:
        place = row["model_id"], row["output_budget"]
        summed[place] = summed.get(place, 0) + row["runs"]
    return sorted((budget, runs) for (_, budget), runs in summed.items())


def test_two_batches_of_the_same_questions_under_two_budgets_are_two_models(tmp_path: Path) -> None:
    assert models(tmp_path, a=[512] * 3, b=[4096] * 3) == [("4096", 3), ("512", 3)]


def test_a_batch_whose_budget_changes_from_request_to_request_is_one_model(tmp_path: Path) -> None:
    assert models(tmp_path, a=[512, 4096, 1024]) == [("varies", 3)]
