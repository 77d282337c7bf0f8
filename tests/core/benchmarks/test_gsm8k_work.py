"""GSM8K's work: the shared vector, the distinct values on all test items, and an obvious loop over characters."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from effspark.benchmarks.gsm8k_work import WORK
from effspark.benchmarks.work import Item
from effspark.errors import LogError

VECTORS = Path(__file__).resolve().parents[1] / "vectors"


def work(solution: str) -> dict[str, int]:
    return WORK.measure(Item(solution=solution)).work


def test_the_gsm8k_vectors_pass() -> None:
    vector = json.loads((VECTORS / "gsm8k_workloads.json").read_text())
    assert [work(answer) for answer in vector["input"]["answers"]] == vector["expected"]


def test_the_test_items_have_as_many_distinct_values_as_the_paper_says(samples: Path) -> None:
    with gzip.open(samples / "gsm8k" / "test.jsonl.gz", "rt", encoding="utf-8") as lines:
        found = [work(json.loads(line)["answer"]) for line in lines]
    assert len(found) == 1319
    distinct = {scale: len({one[scale] for one in found}) for scale in WORK.scales}
    assert distinct == {"W_step": 9, "W_op_clean": 12, "W_op": 17, "W_mix": 22}


def by_characters(solution: str) -> dict[str, int]:
    lines = solution[: solution.index("####")].split("\n")
    steps = len([line for line in lines if line.strip() != ""])
    pieces = [piece.split(">>")[0] for piece in solution.split("<<")[1:] if ">>" in piece]
    clean = 0
    for piece in pieces:
        before = ""
        for sign in piece.split("=")[0]:
            clean += sign in "+-*/" and before != "" and (before.isdigit() or before in ".)%")
            before = before if sign == " " else sign
    counted = "".join(pieces) if pieces else solution
    operations = max(1, sum(counted.count(sign) for sign in "+-*/xX"))
    return {
        "W_step": steps,
        "W_op_clean": max(1, clean),
        "W_op": operations,
        "W_mix": steps + operations,
    }


annotations = st.text("0123456789.()%+-*/ =", max_size=12).map("<<{}>>".format)
words = st.sampled_from(["six", "5", " ", "\n", "\n\n", "=", "x", "-", "\t\n"])


@given(st.lists(annotations | words, max_size=12), st.integers(0, 99))
def test_work_equals_the_obvious_loop_over_characters(parts: list[str], answer: int) -> None:
    solution = f"So {''.join(parts)}\n#### {answer}"
    assert work(solution) == by_characters(solution)


@pytest.mark.parametrize(
    ("annotation", "operations"),
    [("-3+5=2", 1), ("3*-2=-6", 1), ("(2+3)*4=20", 2), ("5=5", 1), ("1/2*50%=0.25", 2)],
)
def test_a_sign_is_no_operation_and_there_is_always_one(annotation: str, operations: int) -> None:
    assert work(f"<<{annotation}>>\n#### 1")["W_op_clean"] == operations


@pytest.mark.parametrize("solution", ["18", "", "\n \n#### 18"])
def test_a_solution_without_steps_has_no_work(solution: str) -> None:
    with pytest.raises(LogError, match="allowed: a gold solution whose steps end in ####"):
        work(solution)
