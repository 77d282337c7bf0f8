from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from effspark.benchmarks.gsm8k import BENCHMARK
from effspark.errors import LogError

SHARED = Path(__file__).resolve().parents[3] / ".." / "shared" / "data"

CORRECT = {
    "Athene-70B": 1145,
    "Llama-3.1-405B-Instruct-Turbo": 1266,
    "Meta-Llama-3.1-70B-Instruct": 1243,
    "Meta-Llama-3.1-8B-Instruct": 1108,
    "Mistral-Nemo-Instruct-2407": 1092,
    "Mixtral-8x7B-Instruct-v0.1": 927,
    "Phi-3.5-mini-instruct": 1122,
    "Qwen2-72B-Instruct": 1223,
    "Qwen2-7B-Instruct": 1056,
    "claude-3-5-sonnet-20241022": 1275,
    "claude-3-haiku-20240307": 1171,
    "deepseek-chat": 1239,
    "gemma-2-2b-it": 698,
    "gpt-4o-mini-2024-07-18": 1243,
}
"""Right answers among the 1,319 of each raw log; the disagreements were read one by one."""


def extracted(text: str) -> str | None:
    return BENCHMARK.score(text, "1").extracted


def field(answer: str) -> str:
    return json.dumps({"reasoning": "99 of 100", "answer": answer}, ensure_ascii=False)


@pytest.mark.parametrize(
    ("answer", "gold"),
    [
        ("9 * 2 = <<9*2=18>>18\n#### 18", "18"),
        ("#### -3", "-3"),
        ("# 1,450,000", "1450000"),
        ("18", "18"),
        ("$18.50", "18.50"),
        ("3/4", "3/4"),
        ("", None),
        ("many", None),
        ("9 * 2 = 18", None),
        ("#### 18 or 19", None),
        ("9" * 5000, None),
    ],
)
def test_gold_is_the_one_number_of_an_item(answer: str, gold: str | None) -> None:
    assert BENCHMARK.gold(answer) == gold


@given(st.integers(-(10**9), 10**9))
def test_gold_gives_its_own_results_back(number: int) -> None:
    gold = BENCHMARK.gold(f"so\n#### {number:,}")
    assert gold == str(number)
    assert BENCHMARK.gold(gold) == gold


@pytest.mark.parametrize(
    ("text", "number"),
    [
        (field("18"), "18"),
        (f"```json\n{field('18')}\n```", "18"),
        ('{"answer": 18.0}', "18.0"),
        ('{"reasoning": "a "quote" of 7", "answer": "18"} 99', "18"),
        ('{"answer": "18"} #### 7', "18"),
        ("first 7\n#### 18 of 99", "18"),
        ("#### 7\n#### 18", "18"),
        ("#### none, so 18", "18"),
        ("#### 18 \\boxed{7}", "18"),
        ("\\boxed{7}, no: \\boxed{x = 18} of 99", "18"),
        ("\\boxed{\\text{18 eggs}} of 99", "18"),
        ("\\boxed{none}, so 18", "18"),
        ("7 and then\nThe final answer is: $\\boxed{18}$", "18"),
        ("7, so 18.", "18"),
        ("**Answer**: 18\n}\n```", "18"),
        ('{"reasoning": "7, so 18 eggs', "18"),
    ],
)
def test_the_answer_stands_in_the_first_place_that_the_text_has(text: str, number: str) -> None:
    assert extracted(text) == number


@pytest.mark.parametrize("answer", ["", "___", "NaN", "Cannot be determined", "9" * 100])
def test_a_field_without_a_number_is_an_answer_without_a_number(answer: str) -> None:
    assert BENCHMARK.score(field(answer), "99") == (None, False)
    assert BENCHMARK.score('{"reasoning": "99", "answer": null}', "99") == (None, False)
    assert BENCHMARK.score('{"reasoning": "99", "answer": true}', "99") == (None, False)


@pytest.mark.parametrize(
    ("answer", "number"),
    [
        ("$1,234.00", "1234.00"),
        ("€177", "177"),
        ("\\$18", "18"),
        ("-$2.50", "-2.50"),
        ("$-2.50", "-2.50"),
        ("−10", "-10"),
        ("Rs.500", "500"),
        ("20%", "20"),
        ("5 hours", "5"),
        ("6th", "6"),
        ("2:00 pm", "2"),
        (".5", ".5"),
        ("3/4", "3/4"),
        ("1 1/2 cups", "1 1/2"),
        ("525 calories/day", "525"),
        ("5/0", "5"),
        ("1,2", "1"),
        ("12,3456", "12"),
        ("27 selfies and 18 portraits", "27"),
        ("4 (3 onions and 1 potato)", "4"),
        ("6 * 5.50 + 9 * 11 = 33 + 99 = 132", "132"),
        ("2000 / 10 = 200 bags, 200 bags * $5/bag = $1000", "1000"),
        ("18 = x", "18"),
        ("63 - 8 - 40 = 15", "15"),
        ("10-12 days", "10"),
        ("1.5e3", "1.5e3"),
        ("3 eggs", "3"),
        ("$1{,}234{,}567", "1234567"),
        ("1\\,234", "1234"),
        ("1\u202f234.5", "1234.5"),
        ("1'234'567", "1234567"),
        ("12 000", "12"),
        ("\\frac{3}{4}", "3/4"),
        ("-\\dfrac{3}{4}", "-3/4"),
        ("1\\frac{1}{2}", "1 1/2"),
        ("½", "1/2"),
        ("1½ cups", "1 1/2"),
    ],
)
def test_numbers_of_a_field(answer: str, number: str) -> None:
    assert extracted(field(answer)) == number


@pytest.mark.parametrize(
    ("text", "gold", "correct"),
    [
        ("4.50", "4.5", True),
        ("18.00", "#### 18", True),
        ("0.75", "3/4", True),
        ("1 1/2", "1.5", True),
        ("36/2", "18", True),
        ("\\boxed{\\frac{36}{2}}", "18", True),
        ('{"answer": 1.8e1}', "18", True),
        ("1½", "1.5", True),
        ("1/3", "0.3333333333333333", False),
        ("1,450,000", "# 1450000", True),
        ("-25", "25", False),
        ("from 20 down to -5", "-5", True),
        ("(2)-1", "1", True),
        ("3-4", "4", True),
        ("2 million", "2000000", False),
        ("0.2", "20", False),
        ("100000000000000000000.1", "100000000000000000000", False),
    ],
)
def test_answer_and_gold_are_compared_as_exact_numbers(text: str, gold: str, correct: bool) -> None:
    assert BENCHMARK.score(text, gold).correct is correct


@pytest.mark.parametrize("text", ["0" * 9000, '{"answer": ' + "1" * 9000 + "}", "1/" + "9" * 9000])
def test_an_endless_number_is_no_answer(text: str) -> None:
    assert BENCHMARK.score(text, "0") == (None, False)


@given(st.text(max_size=60), st.integers(0, 10**6))
def test_any_text_can_be_scored(text: str, gold: int) -> None:
    scored = BENCHMARK.score(text, str(gold))
    assert scored.correct is False or scored.extracted is not None


@given(
    st.integers(-(10**12), 10**12), st.sampled_from(["{}", "${:,}", "{:,}.00", "{} eggs", "x = {}", "**{}**"])
)
def test_a_number_is_right_however_it_is_dressed(number: int, form: str) -> None:
    dressed = form.format(abs(number))
    dressed = f"-{dressed}" if number < 0 and form[0] in "${" else dressed
    expected = number if dressed.startswith("-") else abs(number)
    assert BENCHMARK.score(field(dressed), f"#### {expected}").correct
    assert not BENCHMARK.score(field(dressed), f"#### {expected + 1}").correct


def test_gold_without_a_number_is_an_error() -> None:
    with pytest.raises(LogError, match=r"no gold number \(gsm8k\): found 'many'"):
        BENCHMARK.score("18", "many")


def test_right_answers_of_14_models_are_those_that_were_read() -> None:
    folder = SHARED / "zeroeval_gsm8k"
    if not folder.is_dir():
        pytest.skip("no shared data")
    found = {}
    for path in sorted(folder.glob("*.json.gz")):
        rows = json.loads(gzip.decompress(path.read_bytes()))
        scored = [BENCHMARK.score(row["output"][0], row["answer"]) for row in rows]
        found[path.name.removesuffix(".json.gz")] = sum(one.correct for one in scored)
    assert found == CORRECT


def test_gold_of_the_logs_is_gold_of_the_items() -> None:
    items, log = (
        SHARED / "gsm8k" / "test.jsonl.gz",
        SHARED / "zeroeval_gsm8k" / "gpt-4o-mini-2024-07-18.json.gz",
    )
    if not items.is_file() or not log.is_file():
        pytest.skip("no shared data")
    lines = gzip.decompress(items.read_bytes()).decode().splitlines()
    of_items = {row["question"]: BENCHMARK.gold(row["answer"]) for row in map(json.loads, lines)}
    rows = json.loads(gzip.decompress(log.read_bytes()))
    assert len(of_items) == 1319
    assert {row["question"]: BENCHMARK.gold(row["answer"]) for row in rows} == of_items
