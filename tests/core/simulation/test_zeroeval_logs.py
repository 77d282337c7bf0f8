from __future__ import annotations

import json
from pathlib import Path

import bpe_openai
import pytest

from effspark.simulation.draws import End, runs_of
from effspark.simulation.zeroeval_logs import log

REAL = (
    Path(__file__).resolve().parents[4]
    / "shared"
    / "data"
    / "logs"
    / "zeroeval"
    / "gsm__gpt-4o-2024-05-13.first5.json"
)


@pytest.mark.skipif(not REAL.exists(), reason="the shared samples of real logs are absent")
def test_rows_have_the_fields_of_real_ones_in_their_order() -> None:
    real = json.loads(REAL.read_text("utf-8"))[0]
    file = log(runs_of("cedar-plover-7b-gsm8k", count=2, seed=1), seed=1)
    rows = json.loads(file.content)
    assert [list(row) for row in rows] == [list(real)] * 2
    assert list(rows[0]["configs"]) == list(real["configs"])
    assert (
        rows[0]["chat_history"][0].partition("## Instruction")[2]
        == real["chat_history"][0].partition("## Instruction")[2]
    )
    assert file.content.startswith(REAL.read_bytes()[:23])


def test_texts_are_parsable_unless_the_run_was_cut() -> None:
    runs = runs_of("cedar-plover-7b-gsm8k", count=120, seed=1)
    encoding = bpe_openai.get_encoding("o200k_base")
    cut = 0
    for run, row in zip(runs, json.loads(log(runs, seed=1).content), strict=True):
        (text,) = row["output"]
        assert len(encoding.encode_ordinary(text)) == run.tokens
        if run.end is End.CUT:
            cut += 1
            with pytest.raises(json.JSONDecodeError):
                json.loads(text)
        else:
            answer = json.loads(text)["answer"]
            assert (answer == run.instance.gold) == run.right
        assert row["answer"] == f"# {run.instance.gold}"
    assert cut > 3


def test_a_model_that_hides_its_reasoning_shows_less_text_than_it_generated() -> None:
    runs = runs_of("cedar-o4-heron-gsm8k", count=30, seed=1)
    encoding = bpe_openai.get_encoding("o200k_base")
    for run, row in zip(runs, json.loads(log(runs, seed=1).content), strict=True):
        assert row["generator"] == "openai/o4-heron"
        assert len(encoding.encode_ordinary(row["output"][0])) < run.tokens / 2
