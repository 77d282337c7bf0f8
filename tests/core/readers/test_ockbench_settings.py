"""Settings of OckBench runs: how much reasoning was asked for, and of whom."""

from __future__ import annotations

from typing import Any

import pytest

from effspark.readers import Options
from effspark.readers.ockbench_settings import (
    Config,
    Dataset,
    Generation,
    Identity,
    Overrides,
    of_identity,
    run_fields,
)


@pytest.mark.parametrize(
    ("path", "value", "effort"),
    [
        ("reasoning_effort", "high", "high"),
        ("reasoning.effort", "low", "low"),
        ("output_config.effort", "medium", "medium"),
        ("config.thinking_config.thinking_budget", 0, "0 tokens"),
        ("extra_body.chat_template_kwargs.enable_thinking", True, "enable_thinking=true"),
        ("seed", 7, None),
    ],
)
def test_what_a_request_overrides_says_how_much_to_reason(path: str, value: Any, effort: str | None) -> None:
    config = Config(model="m", request_overrides=Overrides(set={path: value}))
    assert run_fields(config, Options())["configuration"].reasoning_effort == effort


def test_the_settings_of_older_files_say_it_themselves() -> None:
    configured = run_fields(Config(model="m", reasoning_effort="high", enable_thinking=True), Options())
    assert configured["configuration"].reasoning_effort == "high"
    configured = run_fields(Config(model="m", enable_thinking=False), Options())
    assert configured["configuration"].reasoning_effort == "enable_thinking=false"


def test_a_server_of_ones_own_is_no_route() -> None:
    routes = [
        run_fields(Config(model="m", base_url=url), Options())["configuration"].provider_route
        for url in ("https://relay.example/v1", "http://localhost:8000/v1", "http://127.0.0.1/v1", None)
    ]
    assert routes == ["relay.example", None, None, None]


def test_the_benchmark_is_the_data_set_else_its_file_else_what_the_user_says() -> None:
    options = Options(benchmark="mine")
    names = [
        run_fields(config, options)["benchmark_id"]
        for config in (
            Config(dataset_name="A", dataset_path="b.jsonl"),
            Config(dataset_path="data/b.jsonl"),
            Config(),
        )
    ]
    assert names == ["A", "b", "mine"]


def test_header_and_config_of_one_run_say_the_same() -> None:
    config = Config(
        model="m",
        provider="anthropic",
        dataset_name="A",
        dataset_path="a.jsonl",
        dataset_split="test",
        evaluator_type="math",
        temperature=1.0,
        top_p=0.9,
        max_context_window=32768,
    )
    identity = Identity(
        model="m",
        provider="anthropic",
        dataset=Dataset(name="A", path="a.jsonl", split="test"),
        evaluator_type="math",
        generation=Generation(temperature=1.0, top_p=0.9, max_context_window=32768),
    )
    assert run_fields(of_identity(identity), Options()) == run_fields(config, Options())
