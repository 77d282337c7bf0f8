"""A write that another job's commit came before is done again, with pauses; any other failure is told at once."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from pyspark.errors import PySparkException

from effspark.spark import conflicts
from effspark.spark.store import Store

CONFLICT = PySparkException("[DELTA_CONCURRENT_APPEND] Files were added by a concurrent update.")
OTHER = PySparkException("[TABLE_OR_VIEW_NOT_FOUND] no such table")


def failing(times: int, error: PySparkException) -> tuple[Callable[[], None], list[int]]:
    done: list[int] = []

    def action() -> None:
        done.append(len(done))
        if len(done) <= times:
            raise error

    return action, done


def test_a_conflict_is_tried_again_after_pauses_that_grow() -> None:
    action, done = failing(3, CONFLICT)
    pauses: list[float] = []
    conflicts.retried(action, pause=pauses.append)
    assert len(done) == 4
    assert len(pauses) == 3
    assert all(0 <= pause <= conflicts.FIRST_PAUSE * 2**place for place, pause in enumerate(pauses))


def test_conflicts_without_end_are_told() -> None:
    action, done = failing(100, CONFLICT)
    with pytest.raises(PySparkException, match="DELTA_CONCURRENT_APPEND"):
        conflicts.retried(action, pause=[].append)
    assert len(done) == conflicts.ATTEMPTS


def test_another_failure_is_not_tried_again() -> None:
    action, done = failing(1, OTHER)
    with pytest.raises(PySparkException, match="TABLE_OR_VIEW_NOT_FOUND"):
        conflicts.retried(action, pause=[].append)
    assert len(done) == 1


def test_writes_to_a_catalog_are_retried_and_those_to_a_locked_folder_are_not(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(conflicts, "FIRST_PAUSE", 0.0)
    action, done = failing(1, CONFLICT)
    Store(None, "lakes.evals").write("runs", action)  # type: ignore[arg-type]
    assert len(done) == 2
    action, _ = failing(1, CONFLICT)
    with pytest.raises(PySparkException, match="DELTA_CONCURRENT_APPEND"):
        Store(None, "/lake").write("runs", action)  # type: ignore[arg-type]
