from __future__ import annotations

import re
from dataclasses import replace

import bpe_openai
import pytest

from effspark.benchmarks import benchmark_named
from effspark.simulation.draws import End, Run, runs_of
from effspark.simulation.instances import PLACES
from effspark.simulation.plan import EVAL_RUNS
from effspark.simulation.texts import REFUSAL, Written, json_written, prompt, written

GSM8K = [run.name for run in EVAL_RUNS if run.benchmark == "gsm8k"]


def texts(name: str, count: int = 60) -> list[tuple[Run, Written]]:
    write = json_written if name.startswith("cedar") else written
    return [(run, write(run, seed=1)) for run in runs_of(name, count=count, seed=1)]


@pytest.mark.parametrize("name", GSM8K)
def test_the_rule_of_the_benchmark_finds_the_planted_verdict(name: str) -> None:
    rule = benchmark_named("gsm8k")
    for run, text in texts(name):
        assert rule.score(text.answer, run.instance.gold).correct == run.labelled, run.names


@pytest.mark.parametrize("name", [run.name for run in EVAL_RUNS])
def test_numbers_and_places_occur_only_as_the_answer(name: str) -> None:
    for run, text in texts(name, 24):
        shown = f"{text.reasoning or ''} {text.answer}"
        named = set(re.findall(r"\d+", shown)) | (set(re.findall(r"\w+", shown)) & set(PLACES))
        assert named == ({text.given} if text.given is not None else set())
        assert run.instance.benchmark == "chains" or text.given is None or 1 <= int(text.given) <= 999


@pytest.mark.parametrize("name", ["cedar-plover-7b-gsm8k"])
def test_json_texts_have_exactly_the_planted_tokens(name: str) -> None:
    encoding = bpe_openai.get_encoding("o200k_base")
    for run, text in texts(name, 120):
        assert len(encoding.encode_ordinary(text.answer)) == run.tokens


def test_text_ends_as_the_run_ends() -> None:
    run = runs_of("aurora-kestrel-70b-gsm8k", count=1, seed=1)[0]
    done = written(replace(run, end=End.COMPLETED, right=True, labelled=True), seed=1)
    assert (done.answer, done.given) == (f"ANSWER: {run.instance.gold}", run.instance.gold)
    assert f"So the answer is {run.instance.gold}." in (done.reasoning or "")
    cut = written(replace(run, end=End.CUT, right=False, labelled=False, tokens=1024), seed=1)
    assert (cut.answer, cut.given) == ("", None)
    assert len((cut.reasoning or "").split()) > 700
    refused = written(replace(run, end=End.REFUSED, right=False, labelled=False), seed=1)
    assert refused == Written(None, REFUSAL, None)
    lost = written(replace(run, end=End.CUT, usage_missing=True, right=False, labelled=False), seed=1)
    assert lost == Written(None, "", None)


def test_a_wrong_answer_differs_from_the_right_one() -> None:
    for name in ("aurora-kestrel-8b-gsm8k", "aurora-kestrel-8b-chains"):
        wrong = [(run, text) for run, text in texts(name, 120) if run.end is End.COMPLETED and not run.right]
        assert len(wrong) > 20
        assert all(text.given not in (None, run.instance.gold) for run, text in wrong)


def test_a_model_that_hides_its_reasoning_shows_only_its_answer() -> None:
    for run, text in texts("birch-o4-heron-gsm8k"):
        assert text.reasoning is None
        assert len(text.answer.split()) < 5
        assert run.tokens > 50


def test_the_prompt_holds_the_question() -> None:
    run = runs_of("aurora-wren-flash-chains", count=1, seed=1)[0]
    assert prompt(run).startswith(run.instance.question)
