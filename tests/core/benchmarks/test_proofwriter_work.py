"""ProofWriter's work: depth + 1, so that a statement that is a fact keeps its instance."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest

from effspark.benchmarks.proofwriter_work import WORK
from effspark.benchmarks.work import Item
from effspark.errors import LogError

VECTORS = Path(__file__).resolve().parents[1] / "vectors"


def work(**fields: float) -> int:
    return WORK.measure(Item(fields=fields)).work["W_depth"]


def test_the_proofwriter_vector_passes() -> None:
    vector = json.loads((VECTORS / "proofwriter_depth.json").read_text())
    assert [work(depth=depth) for depth in vector["input"]["depth"]] == vector["expected"]


def test_the_first_name_of_a_depth_counts() -> None:
    assert work(QDep=2.0) == 3
    assert work(QDep=2.0, depth=4.0) == 5


@pytest.mark.parametrize("depth", [-1.0, 0.5, math.nan])
def test_a_depth_that_is_no_whole_number_from_zero_is_none(depth: float) -> None:
    with pytest.raises(LogError, match="allowed: a whole number from 0 in one of depth, QDep"):
        work(depth=depth)
