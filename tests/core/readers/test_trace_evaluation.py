"""Names of the evaluation that a trace was part of, and verdicts from its scores."""

from __future__ import annotations

from typing import Any

import pytest

from effspark.readers.trace_evaluation import identity, verdict


def test_a_trace_stands_in_for_instance_and_attempt_it_does_not_name() -> None:
    found = identity({}, benchmark=None, trace_id="t")
    assert (found["benchmark_id"], found["instance_id"], found["attempt"]) == ("unlabelled", "t", "t")
    assert (found["eval_run_id"], found["gold"], found["split"]) == (None, None, None)


def test_names_of_the_log_outrank_the_users_benchmark() -> None:
    known = {"eval.dataset.name": "gsm8k", "eval.case.id": 0, "eval.epoch": 0, "eval.run.id": 42}
    found = identity(known, benchmark="math", trace_id="t")
    assert (found["benchmark_id"], found["instance_id"], found["attempt"], found["eval_run_id"]) == (
        "gsm8k",
        0,
        "0",
        "42",
    )


@pytest.mark.parametrize(
    ("value", "label", "raw", "correct", "kind"),
    [
        (1, "pass", "1", 1.0, "binary"),
        (0.0, None, "0.0", 0.0, "binary"),
        (True, None, "true", 1.0, "binary"),
        (0.7, "pass", "0.7", 0.7, "fractional"),
        (85, None, "85", None, "fractional"),
        (None, "Fail", "Fail", 0.0, "binary"),
        ("correct", None, "correct", 1.0, "binary"),
        ("fluent", None, "fluent", None, "letter"),
        (None, None, None, None, "binary"),
        (1.0, "incorrect", "1.0 (incorrect)", None, "binary"),
        ({"a": 1}, None, '{"a": 1}', None, "fractional"),
        (float("nan"), None, "NaN", None, "fractional"),
    ],
)
def test_a_score_is_right_wrong_or_neither(
    value: Any, label: str | None, raw: str | None, correct: float | None, kind: str
) -> None:
    found = verdict("s", value, label)
    assert (found.raw, found.value, found.kind.value) == (raw, correct, kind)
