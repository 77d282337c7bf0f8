"""What `effspark check` says of every sample file: its reader, and what it becomes. The table is written by hand.

runs          its records become runs                          labels     they become labels
companion     read with a log, or a summary of one             empty      a log without samples
some-refused  runs, and records that its reader refuses        refused    its reader says why none is a run
unknown       no log: lists, schemas, chats without usage, tables of averages
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from effspark import checking, laptop
from effspark.readers import Options
from effspark.readers.choosing import UNKNOWN_READER

Rows = dict[str, dict[str, Any]]

TABLE = """
./
  unknown  unknown  MANIFEST.tsv
anthropic_batch/
  anthropic_batch  some-refused  results.jsonl
every_eval_ever/
  every_eval_ever  companion  f3a1c0de-4b2e-4c1a-9f6d-1b7e5a2c8d40.json
  every_eval_ever  runs  f3a1c0de-4b2e-4c1a-9f6d-1b7e5a2c8d40_samples.jsonl
  unknown  unknown  instance_level_eval.schema.json
gemini_batch/
  gemini_batch  runs  output.jsonl
helm/
  helm  companion  commonsense-dataset-hellaswag_method-multiple_choice_joint_m__per_instance_stats.json
  helm  companion  commonsense-dataset-hellaswag_method-multiple_choice_joint_m__run_spec.json
  helm  companion  commonsense-dataset-hellaswag_method-multiple_choice_joint_m__scenario.json
  helm  runs  commonsense-dataset-hellaswag_method-multiple_choice_joint_m__scenario_state.json
  helm  companion  commonsense-dataset-hellaswag_method-multiple_choice_joint_m__stats.json
  helm  companion  mmlu-subject-philosophy_method-multiple_choice_joint_model-o__per_instance_stats.json
  helm  companion  mmlu-subject-philosophy_method-multiple_choice_joint_model-o__run_spec.json
  helm  companion  mmlu-subject-philosophy_method-multiple_choice_joint_model-o__scenario.json
  helm  runs  mmlu-subject-philosophy_method-multiple_choice_joint_model-o__scenario_state.json
  helm  companion  mmlu-subject-philosophy_method-multiple_choice_joint_model-o__stats.json
  helm  companion  narrative_qa-model-openai_gpt2__per_instance_stats.json
  helm  companion  narrative_qa-model-openai_gpt2__run_spec.json
  helm  companion  narrative_qa-model-openai_gpt2__scenario.json
  helm  runs  narrative_qa-model-openai_gpt2__scenario_state.json
  helm  companion  narrative_qa-model-openai_gpt2__stats.json
inspect/
  inspect_ai  runs  2025-02-11T15-18-04-05-00_popularity_mj7khqpMM4GBCfVQozKgzB.eval
  inspect_ai  runs  2025-05-12T20-28-13-04-00_popularity.json
  inspect_ai  runs  2025-05-12T20-28-26-04-00_security-guide.json
  inspect_ai  runs  eee_data_arc_qwen.json
  inspect_ai  runs  eee_data_arc_sonnet.json
  inspect_ai  runs  eee_data_cvebench_empty_choices.json
  inspect_ai  runs  eee_data_cyse2_vuln_exploit_challenges.json
  inspect_ai  runs  eee_data_intercode_ctf_local_path.json
  inspect_ai  runs  eee_data_pubmedqa_gpt4o_mini.json
  inspect_ai  companion  eee_data_with_llm_scoring.json
  inspect_ai  runs  log_formats.json
  inspect_ai  runs  log_streaming.eval
  inspect_ai  runs  log_tool_call_error.json
inspect/generated/
  inspect_ai  runs  arith_3epochs_nan.json
  inspect_ai  runs  arith_3epochs_zstd.eval
langfuse_otel/
  langfuse  runs  csharp-agent-with-gemini-2026-03-09.trace.json
  langfuse  runs  google-adk-2025-08-28.trace.json
  unknown  unknown  google-gemini-2025-08-01.chatml.json
lighteval/
  lighteval  runs  details_gsm8k|0_2026-11-29T20-41-22.171069.parquet
  lighteval  companion  results_2026-11-29T20-41-22.171069.json
lm_eval/generated/
  lm_eval  companion  results_2026-11-29T20-37-10.263903.json
  lm_eval  runs  samples_gsm8k_2026-11-29T20-37-10.263903.jsonl
lm_eval/
  lm_eval  companion  results_2026-01-21T03-44-18.458309.json
  lm_eval  runs  samples_math_perturbed_full_2026-01-21T03-44-18.458309.jsonl
lrm_token_economy/
  lrm_evaluations  companion  TokenEconomyDataset_V1.json
  lrm_evaluations  labels  detailed_evaluations_1p1.first4.json
  lrm_evaluations  labels  detailed_evaluations_glm45.first4.json
  lrm_evaluations  labels  detailed_evaluations_gptoss.first4.json
  lrm_evaluations  labels  detailed_evaluations_magmin.first4.json
  lrm_evaluations  labels  detailed_evaluations_minimax.first4.json
  lrm_evaluations  labels  detailed_evaluations_o4mhl.first4.json
  lrm_evaluations  labels  detailed_evaluations_sonnet37.first4.json
  mapper  runs  evaluation_stats.csv
  mapper  runs  output_queries_1p1.first4.json
  mapper  runs  output_queries_glm45.first4.json
  mapper  runs  output_queries_gptoss.first4.json
  mapper  runs  output_queries_magmin.first4.json
  mapper  runs  output_queries_minimax.first4.json
  mapper  runs  output_queries_o4mhl.first4.json
  mapper  runs  output_queries_sonnet37.first4.json
mlflow/
  mlflow  refused  traces.json
mmlu_pro/
  mapper  runs  DeepSeek-Coder-V2.first5.json
  mapper  runs  Meta-Llama-3_1-8B-Instruct.first5.json
  mapper  runs  gemini-1.5-pro-002.first5.json
ockbench/
  ockbench  runs  generated_result.json
openai_batch/
  openai_batch  runs  chat_output.jsonl
  openai_batch  refused  error_file.jsonl
  openai_batch  runs  responses_output.jsonl
openai_evals/
  openai_evals  runs  oaieval.jsonl
opencompass/
  opencompass  refused  predictions__gsm8k_gen.json
  opencompass  refused  tmp_gsm8k_gen.jsonl
otel/
  otel  runs  otlp_traces.jsonl
promptfoo/
  promptfoo  runs  results.json
  promptfoo  companion  results.jsonl
reasoning_gym/
  reasoning_gym  refused  easy__anthropic_claude-sonnet-4_20250524_191444__arithmetic_gsm_symbolic.first6.json
  reasoning_gym  refused  easy__deepseek_deepseek-r1_20250315_181530__logic_zebra_puzzles.first6.json
  reasoning_gym  companion  easy__o3-mini__summary.json
  reasoning_gym  refused  easy__openai_o3-mini_20250315_181742__logic_zebra_puzzles.first6.json
  reasoning_gym  refused  hard__qwen_qwq-32b_20250412_110323__algebra_simple_equations.first6.json
  reasoning_gym  refused  hard__qwen_qwq-32b_20250412_110323__logic_zebra_puzzles.first6.json
  reasoning_gym  refused  hard__x-ai_grok-3-mini-beta_20250413_235101__arithmetic_gsm_symbolic.first6.json
  unknown  unknown  qwen_math_eval__gsm8k.first5.jsonl
simple_evals/
  simple_evals  refused  math_gpt-4o_20251129_000000_allresults.json
token_efficiency_benchmark/
  mapper  companion  20260703T070656Z_098392__manifest.json
  mapper  runs  20260703T070656Z_098392__results.subset.jsonl
  mapper  companion  20260703T070656Z_098392__tasks.subset.jsonl
  mapper  companion  20260706T203221Z_464996__manifest.json
  mapper  runs  20260706T203221Z_464996__results.subset.jsonl
  mapper  companion  20260706T203221Z_464996__tasks.subset.jsonl
zeroeval/
  zeroeval  runs  gsm__Meta-Llama-3.1-8B-Instruct.first5.json
  zeroeval  runs  gsm__Qwen2-7B-Instruct.first5.json
  zeroeval  runs  gsm__claude-3-5-sonnet-20241022.first5.json
  zeroeval  runs  gsm__deepseek-chat.first5.json
  zeroeval  runs  gsm__gemini-1.5-flash-exp-0827.first5.json
  zeroeval  runs  gsm__gemma-2-2b-it.first5.json
  zeroeval  runs  gsm__gpt-4o-2024-05-13.first5.json
  zeroeval  runs  gsm__o1-mini-2024-09-12.first5.json
  unknown  unknown  zebra-grid.summary.json
  zeroeval  runs  zebra__Llama-3.1-405B-Inst@sambanova__5cfcdb5.first3.json
  zeroeval  runs  zebra__Meta-Llama-3-70B-Instruct__d641d9d.first3.json
  zeroeval  runs  zebra__Meta-Llama-3.1-405B-Instruct@hyperbolic__544988d.first3.json
  zeroeval  runs  zebra__Meta-Llama-3.1-70B-Instruct__b4efb25.first3.json
  zeroeval  runs  zebra__cot=True_Qwen2-72B-Instruct__943feb1.first3.json
  zeroeval  runs  zebra__cot=True_Qwen2-72B-Instruct__dd0b382.first3.json
  zeroeval  runs  zebra__legacy_version_cot=False_gpt-4o-2024-05-13__2a0a01b.first3.json
  zeroeval  runs  zebra__o1-mini-2024-09-12__63e0b96.first3.json
  zeroeval  runs  zebra__sampling_gemma-2-27b-it__f8af74c.first3.json
"""

REASONS = {
    "anthropic_batch/results.jsonl": ("no_model", "put the file of requests into the same folder"),
    "mlflow/traces.json": ("no_model", "--set readers.model=NAME"),
    "openai_batch/error_file.jsonl": ("no_model", "put the batch input file into the same folder"),
    "opencompass/predictions__gsm8k_gen.json": ("no_model", "--set readers.model=NAME"),
    "opencompass/tmp_gsm8k_gen.jsonl": ("no_model", "--set readers.model=NAME"),
    "simple_evals/math_gpt-4o_20251129_000000_allresults.json": ("unsupported_format", "no ids"),
}
"""Why records are refused, and words of the remedy; all of reasoning-gym lack their summary.json."""


def expected() -> dict[str, tuple[str, str]]:
    """Reader and fate of each path of the table."""
    folder, found = "", {}
    for line in TABLE.strip().splitlines():
        if not line.startswith(" "):
            folder = "" if line == "./" else line
            continue
        reader, fate, name = line.split(maxsplit=2)
        assert folder + name not in found, f"{folder}{name} stands twice"
        found[folder + name] = (reader, fate)
    return found


def fate(row: dict[str, Any]) -> str:
    """What a file becomes, from its counts."""
    if row["reader"] == UNKNOWN_READER:
        return "unknown"
    if row["quarantined"]:
        return "some-refused" if row["mapped"] else "refused"
    if row["mapped"]:
        return "runs" if row["runs"] else "labels"
    return "companion" if row["records"] else "empty"


@pytest.fixture(scope="module")
def checked(samples: Path) -> Rows:
    """What `check` says of the whole folder, by path."""
    logs = samples / "logs"
    rows = checking.checked([str(logs)], Options())
    return {Path(row["source_uri"]).relative_to(logs).as_posix(): row for row in rows}


def test_every_sample_file_is_read_by_its_reader_and_becomes_what_it_is(checked: Rows) -> None:
    found = {path: (row["reader"], fate(row)) for path, row in checked.items()}
    wrong = {path: (found.get(path), of) for path, of in expected().items() if found.get(path) != of}
    assert not wrong, f"path: (found, expected) {wrong}"
    assert found.keys() == expected().keys(), "a sample file is not in the table"


def test_every_refusal_says_why_and_what_to_do(checked: Rows) -> None:
    for path, row in checked.items():
        told = {refusal["reason"]: refusal["detail"] for refusal in row["refused"]}
        if fate(row) == "unknown":
            assert list(told) == ["unknown_format"]
            assert "describe it with --mapping" in told["unknown_format"]
        elif row["reader"] == "reasoning_gym" and told:
            assert "put the summary.json of the run there" in told["no_model"]
            assert "--set readers.model=NAME" in told["no_model"]
        elif told:
            reason, words = REASONS[path]
            assert list(told) == [reason]
            assert words in told[reason]


def test_records_of_every_sample_file_add_up(checked: Rows) -> None:
    for path, row in checked.items():
        assert row["records"] == row["mapped"] + row["not_selected"] + row["quarantined"], path
    names = ("records", "mapped", "not_selected", "quarantined", "runs")
    assert Counter({name: sum(row[name] for row in checked.values()) for name in names}) == {
        "records": 2797, "mapped": 2677, "not_selected": 65, "quarantined": 55, "runs": 2606,
    }  # fmt: skip


def test_records_of_the_whole_folder_add_up_when_copies_are_merged(samples: Path, checked: Rows) -> None:
    gathered = laptop.gather(laptop.planned([str(samples / "logs")], Options()))
    rows = {row["source_uri"]: row for row in laptop.tally(gathered)}
    for row in checked.values():
        tallied = rows[row["source_uri"]]
        assert tallied["records"] == sum(
            tallied[name] for name in ("mapped", "not_selected", "merged", "quarantined")
        )
        assert tallied["records"] == row["records"]
        assert tallied["mapped"] + tallied["merged"] == row["mapped"]
    keys = gathered.tables["runs"]["run_key"].to_pylist()
    assert len(set(keys)) == len(keys) <= sum(row["runs"] for row in rows.values())
