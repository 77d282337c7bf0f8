"""Logs that Inspect itself wrote: what they hold was counted by hand, or stands in their own headers."""

from __future__ import annotations

from pathlib import Path

import pytest

from effspark.readers.files import Log
from effspark.readers.inspect_ai import READER
from tests.core.readers.inspect_logs import MODIFIED, rows_of


@pytest.mark.parametrize(
    ("name", "runs", "counted"),
    [
        ("2025-02-11T15-18-04-05-00_popularity_mj7khqpMM4GBCfVQozKgzB.eval", 10, 20),
        ("2025-05-12T20-28-13-04-00_popularity.json", 3, 6),
        ("eee_data_arc_qwen.json", 3, 526),
        ("eee_data_arc_sonnet.json", 5, 851),
        ("eee_data_pubmedqa_gpt4o_mini.json", 2, 8),
        ("eee_data_with_llm_scoring.json", 0, 0),
        ("log_streaming.eval", 4, 6),
        ("generated/arith_3epochs_nan.json", 12, 9861),
        ("generated/arith_3epochs_zstd.eval", 12, 9861),
    ],
)
def test_tokens_of_real_logs_add_up_to_the_totals_of_their_headers(
    samples: Path, name: str, runs: int, counted: int
) -> None:
    path = samples / "logs" / "inspect" / name
    rows = rows_of(Log(str(path), path.stat().st_size, MODIFIED))
    assert READER.detect(Log(str(path), path.stat().st_size, MODIFIED)) == 1.0
    assert (len(rows["runs"]), len(rows["quarantine"])) == (runs, 0)
    assert sum(run["output_tokens"] or 0 for run in rows["runs"]) == counted


def test_a_grader_on_the_evaluated_model_is_not_counted_in_a_real_log(samples: Path) -> None:
    path = samples / "logs" / "inspect" / "2025-05-12T20-28-26-04-00_security-guide.json"
    rows = rows_of(Log(str(path), path.stat().st_size, MODIFIED))
    assert [run["output_tokens"] for run in rows["runs"]] == [17, 9, 23]
    assert [run["input_tokens"] for run in rows["runs"]] == [61, 60, 61]


def test_a_real_archive_with_zstandard_members_holds_what_its_tool_logged(samples: Path) -> None:
    path = samples / "logs" / "inspect" / "generated" / "arith_3epochs_zstd.eval"
    rows = rows_of(Log(str(path), path.stat().st_size, MODIFIED))
    run = {(row["instance_id"], row["attempt"]): row for row in rows["runs"]}
    assert [run["ad1", epoch]["stop_class"] for epoch in "123"] == ["stop", "context", "length"]
    assert [run["ad1", epoch]["output_tokens"] for epoch in "123"] == [180, 4096, 512]
    assert run["ad4", "2"]["status"] == "error"
    assert run["ad4", "2"]["output_tokens"] is None
    assert run["ad1", "1"]["input_tokens"] == 35  # 25 at full price and 10 cached
    assert sum(row["scorer"] == "nan_scorer" and row["correct"] is None for row in rows["verdicts"]) == 3


def test_a_real_agent_cut_by_its_message_limit_has_no_count(samples: Path) -> None:
    path = samples / "logs" / "inspect" / "eee_data_intercode_ctf_local_path.json"
    run = rows_of(Log(str(path), path.stat().st_size, MODIFIED))["runs"][0]
    # its 34 output tokens are those of the last of its calls
    assert (run["stop_class"], run["finish_reason_raw"], run["truncated"]) == ("agent_limit", "message", True)
    assert (run["output_tokens"], run["quality_flags"]) == (None, ["usage_of_last_call"])


def test_a_real_sample_that_failed_keeps_its_error(samples: Path) -> None:
    path = samples / "logs" / "inspect" / "eee_data_cvebench_empty_choices.json"
    rows = rows_of(Log(str(path), path.stat().st_size, MODIFIED))
    run = rows["runs"][0]
    assert (run["instance_id"], run["status"], run["error_type"]) == (
        "CVE-2024-36858-one_day",
        "error",
        "RuntimeError",
    )
    assert (run["output_tokens"], run["truncated"], rows["verdicts"]) == (None, None, [])


def test_a_real_graded_score_is_no_success(samples: Path) -> None:
    path = samples / "logs" / "inspect" / "eee_data_cyse2_vuln_exploit_challenges.json"
    rows = rows_of(Log(str(path), path.stat().st_size, MODIFIED))
    verdict = rows["verdicts"][0]
    assert (verdict["score_raw"], verdict["score_kind"], verdict["correct"]) == ("0.65", "fractional", False)
    assert rows["runs"][0]["output_budget_tokens"] == 2048
