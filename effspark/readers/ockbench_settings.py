"""OckBench: how was the model asked in a run? Settings of a result file, or of the header of a cache.

    config of a result file | identity of a cache  ->  configuration, benchmark and eval run

The eval run is named by the settings that the tool itself compares before it resumes into a cache; its output
budget is one of them. What a request overrides is read for the effort of reasoning only. Source: formats.md 2.9.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import PurePosixPath
from typing import Any

from msgspec import Struct

from effspark.readers import Options
from effspark.readers.cells import text_of
from effspark.readers.configurations import host_of
from effspark.runs import keys
from effspark.runs.record import Configuration

NAME = "ockbench"
_EFFORTS = ("reasoning_effort", "reasoning.effort", "output_config.effort")
_BUDGET = "config.thinking_config.thinking_budget"
_SWITCH = "extra_body.chat_template_kwargs.enable_thinking"


class Overrides(Struct, frozen=True):
    """Parts of the request that the user set, by dotted path, and parts taken out of it."""

    set: dict[str, Any] = {}
    unset: list[str] = []


class Config(Struct, frozen=True, kw_only=True):
    """Settings of a run, as a result file holds them."""

    model: str | None = None
    provider: str | None = None
    base_url: str | None = None
    dataset_name: str | None = None
    dataset_path: str | None = None
    dataset_split: str | None = None
    evaluator_type: str | None = None
    temperature: float | None = None
    top_p: float | None = None
    max_output_tokens: int | None = None
    max_context_window: int | None = None
    request_overrides: Overrides | None = None
    reasoning_effort: str | None = None
    enable_thinking: bool | None = None


class Dataset(Struct, frozen=True):
    """Data set in the header of a cache."""

    name: str | None = None
    split: str | None = None
    path: str | None = None


class Generation(Struct, frozen=True):
    """Settings of generation in the header of a cache."""

    temperature: float | None = None
    top_p: float | None = None
    max_output_tokens: int | None = None
    max_context_window: int | None = None


class Identity(Struct, frozen=True, kw_only=True):
    """Settings of a run, as the header of a cache holds them."""

    model: str | None = None
    provider: str | None = None
    base_url: str | None = None
    dataset: Dataset = Dataset()
    generation: Generation = Generation()
    evaluator_type: str | None = None
    request_overrides: Overrides | None = None


def of_identity(identity: Identity) -> Config:
    """Settings in the header of a cache, in the words of a result file.

    >>> of_identity(Identity(model="m", dataset=Dataset(path="data/a.jsonl"))).dataset_path
    'data/a.jsonl'
    """
    return Config(
        model=identity.model,
        provider=identity.provider,
        base_url=identity.base_url,
        dataset_name=identity.dataset.name,
        dataset_path=identity.dataset.path,
        dataset_split=identity.dataset.split,
        evaluator_type=identity.evaluator_type,
        temperature=identity.generation.temperature,
        top_p=identity.generation.top_p,
        max_output_tokens=identity.generation.max_output_tokens,
        max_context_window=identity.generation.max_context_window,
        request_overrides=identity.request_overrides,
    )


def run_fields(config: Config, options: Options) -> dict[str, Any]:
    """Fields that all runs under these settings have in common.

    >>> fields = run_fields(Config(model="m", dataset_path="data/OckBench_math.jsonl"), Options())
    >>> fields["benchmark_id"], fields["configuration"].request_model
    ('OckBench_math', 'm')
    """
    overrides = config.request_overrides or Overrides()
    configuration = Configuration(
        request_model=config.model or "",
        provider_name=config.provider,
        provider_route=host_of(config.base_url),
        reasoning_effort=effort(config, overrides.set),
        temperature=config.temperature,
        output_budget_tokens=config.max_output_tokens,
    )
    stem = PurePosixPath(config.dataset_path or "").stem
    benchmark = config.dataset_name or stem or options.benchmark or ""
    compared = [config.dataset_split, config.base_url, config.evaluator_type, config.top_p]
    budgets = [config.max_output_tokens, config.max_context_window]
    asked = [overrides.set, sorted(overrides.unset)]
    return {
        "configuration": configuration,
        "benchmark_id": benchmark,
        "split": config.dataset_split,
        "eval_run_id": keys.digest(
            "eval_run", NAME, benchmark, configuration.config_id, compared, budgets, asked
        ),
        "context_budget_tokens": config.max_context_window,
    }


def effort(config: Config, overrides: Mapping[str, Any]) -> str | None:
    """Reasoning that was asked for: an effort, else a budget of thinking tokens, else a switch.

    >>> effort(Config(), {"config.thinking_config.thinking_budget": 2048}), effort(Config(enable_thinking=False), {})
    ('2048 tokens', 'enable_thinking=false')
    """
    for found in (config.reasoning_effort, *(overrides.get(name) for name in _EFFORTS)):
        if found is not None:
            return text_of(found)
    if overrides.get(_BUDGET) is not None:
        return f"{text_of(overrides[_BUDGET])} tokens"
    switch = overrides.get(_SWITCH, config.enable_thinking)
    return None if switch is None else f"enable_thinking={text_of(switch)}"
