"""Does effspark read what the tools write now? Each runs a tiny evaluation of sums whose outcome is known.

`make test-fresh` installs the tools; what they run stands beside this file.
"""

from __future__ import annotations

from itertools import permutations
from pathlib import Path

import pytest

from tests.fresh.tools import HERE, INSTALLED, columns, python_logs, read, run

pytestmark = pytest.mark.slow

OUTCOME = ("status", "stop_class", "truncated", "output_tokens", "reasoning_tokens")
RIGHT, WRONG = ("ok", "stop", False, 12, 7, True), ("ok", "stop", False, 12, 7, False)
CUT = ("ok", "length", True, 64, 59, False)
LIMIT = ("ok", "agent_limit", True, 1000, 995, False)
FAILED = ("error", "error", None, None, None, None)


@pytest.fixture(scope="module")
def inspect_logs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return python_logs(tmp_path_factory.mktemp("inspect"), "run_inspect.py")


def of_inspect(**outcomes: tuple[object, ...]) -> dict[tuple[str, ...], tuple[object, ...]]:
    """The outcomes of both attempts; `fails_2` is that of the second alone."""
    both = {name: outcome for name, outcome in outcomes.items() if "_" not in name}
    return {
        ("adder/mock", "sums", name, str(epoch)): outcomes.get(f"{name}_{epoch}", outcome)
        for name, outcome in both.items()
        for epoch in (1, 2)
    }


def test_inspect_documents(inspect_logs: Path) -> None:
    runs = read(inspect_logs / "json", reader="inspect_ai", records=8)
    assert columns(runs, *OUTCOME, "match") == of_inspect(right=RIGHT, wrong=WRONG, cut=CUT, limit=LIMIT)
    for one in runs.values():
        assert (one["benchmark_version"], one["output_budget_tokens"], one["temperature"]) == ("3", 64, 0.5)
        assert (one["token_source"], one["token_convention"]) == ("provider", "inclusive")
        assert one["input_tokens"] + one["output_tokens"] == one["total_tokens"]
        assert one["latency_kind"] == "wall"
    assert runs["adder/mock", "sums", "cut", "1"]["response_model"] == "adder-1"
    assert dict(runs["adder/mock", "sums", "cut", "1"]["axes"]) == {"digits": 3.0}


def test_inspect_archives(inspect_logs: Path) -> None:
    runs = read(inspect_logs / "eval", reader="inspect_ai", records=10)
    expected = of_inspect(right=RIGHT, wrong=WRONG, cut=CUT, limit=LIMIT, fails=RIGHT, fails_2=FAILED)
    assert columns(runs, *OUTCOME, "match") == expected
    failed = runs["adder/mock", "sums", "fails", "2"]
    assert (failed["error_type"], failed["error_message"]) == (
        "RuntimeError",
        "RuntimeError('no answer today')",
    )


def test_corrections_by_hand_in_inspect(inspect_logs: Path) -> None:
    runs = read(inspect_logs / "edited", reader="inspect_ai", records=10)
    invalid, edited = runs["adder/mock", "sums", "right", "2"], runs["adder/mock", "sums", "wrong", "1"]
    assert [key for key, one in runs.items() if one["status"] == "invalidated"] == [
        ("adder/mock", "sums", "right", "2")
    ]
    assert dict(invalid["tags"])["correction_author"] == "bob"
    verdict = edited["verdicts"]["match"]
    assert (verdict["correct"], verdict["score_raw"], verdict["source"]) == (True, "C", "edited")
    assert dict(edited["tags"])["original_score.match"] == "I"


def test_an_inspect_retry_replaces_what_failed_and_keeps_what_was_edited(inspect_logs: Path) -> None:
    retried = read(inspect_logs / "retried", reader="inspect_ai", records=10)
    expected = of_inspect(right=RIGHT, wrong=WRONG, wrong_1=RIGHT, cut=CUT, limit=LIMIT, fails=RIGHT)
    assert columns(retried, *OUTCOME, "match") == expected
    assert retried["adder/mock", "sums", "fails", "2"]["n_retries"] == 1
    for order in permutations(("eval", "edited", "retried")):
        together = read(*(inspect_logs / name for name in order), reader="inspect_ai", records=30)
        assert columns(together, *OUTCOME, "match", "run_key") == columns(
            retried, *OUTCOME, "match", "run_key"
        )


def test_lm_evaluation_harness(tmp_path: Path) -> None:
    logs = python_logs(tmp_path, "run_lm_eval.py")
    runs = read(logs / "out", reader="lm_eval", records=13)
    scorers = ("exact_match", "exact_match,last-number")
    judged = {"0": (True, True), "1": (False, False), "2": (False, True)}
    model = "team/adder-1"
    assert columns(runs, "stop_class", "truncated", "output_tokens", *scorers) == {
        **{(model, "sums", name, "0"): ("unknown", False, 4, *both) for name, both in judged.items()},
        **{(model, "sums_twice", name, "0"): ("unknown", False, 4, *both) for name, both in judged.items()},
        **{(model, "sums_twice", name, "1"): ("unknown", False, 4, None, None) for name in judged},
    }
    for one in runs.values():
        assert (one["benchmark_version"], one["output_budget_tokens"], one["temperature"]) == ("2", 64, 0.5)
        assert (one["token_source"], one["truncation_source"]) == ("tokenizer", "inferred_budget")


def test_lighteval(tmp_path: Path) -> None:
    logs = python_logs(tmp_path, "run_lighteval.py")
    runs = read(logs / "out", reader="lighteval", records=7)
    model = "team/adder-1"
    assert columns(runs, "stop_class", "truncated", "output_tokens", "em") == {
        (model, "sums", "0", "0"): ("unknown", False, 18, True),
        (model, "sums", "1", "0"): ("unknown", False, 18, False),
        (model, "sums", "2", "0"): ("unknown", True, 64, False),
        **{(model, "sums_twice", name, "0"): ("unknown", False, 1, None) for name in "01"},
        **{(model, "sums_twice", name, "1"): ("unknown", False, 2, None) for name in "01"},
        **{(model, "sums_twice", "2", place): ("unknown", True, 64, None) for place in "01"},
    }
    for one in runs.values():
        assert (one["benchmark_version"], one["output_budget_tokens"], one["temperature"]) == ("2", 64, 0.5)
        assert (one["token_source"], one["truncation_source"]) == ("token_ids", "inferred_budget")
    assert dict(runs[model, "sums_twice", "0", "0"]["tags"]) == {"score.avg@n:n=2": "0.5"}


def test_promptfoo(tmp_path: Path) -> None:
    tool = INSTALLED / "promptfoo" / "node_modules" / ".bin" / "promptfoo"
    options = ("--repeat", "2", "--no-cache", "-j", "1", "--no-progress-bar", "--no-table")
    outputs = [tmp_path / "logs" / name for name in ("results.json", "results.jsonl")]
    outputs[0].parent.mkdir()
    written = [part for path in outputs for part in ("-o", path)]
    run(tmp_path, tool, "eval", "-c", HERE / "sums.yaml", *options, *written)
    runs = read(tmp_path / "logs", reader="promptfoo", records=32)
    adder = {key: one for key, one in runs.items() if key[0] == "adder low"}
    expected = {"right": RIGHT, "wrong": WRONG, "cut": CUT, "fails": FAILED}
    assert columns(adder, *OUTCOME, "assertions") == {
        ("adder low", "unlabelled", name, place): outcome
        for name, outcome in expected.items()
        for place in "01"
    }
    assert columns(adder, "temperature", "output_budget_tokens", "cost_usd")[
        "adder low", "unlabelled", "cut", "0"
    ] == (0.5, 64, 0.001)
    echoed = {key: one for key, one in runs.items() if key[0] == "echo"}
    assert len(echoed) == 8
    assert {one["token_source"] for one in echoed.values()} == {"tokenizer"}
    alone = read(outputs[1].rename(tmp_path / "alone.jsonl"), reader="promptfoo", records=16)
    assert alone.keys() == runs.keys()
