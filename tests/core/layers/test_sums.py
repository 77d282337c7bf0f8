"""Sums of a report on the driver, against sums over cells written by hand."""

from __future__ import annotations

import narwhals as nw
import pyarrow as pa

from effspark.layers import sums
from effspark.layers.estimates import ModelSums
from effspark.layers.selection import SUMMED

CELLS = {("m", "i"): 3, ("m", "j"): 5, ("m", "k"): 0, ("n", "i"): 7, ("n", "k"): 11}
"""(model, instance) -> every sum; a cell of 0 runs covers nothing."""


def cells() -> nw.DataFrame[pa.Table]:
    rows = [
        {"benchmark_id": "b", "model_id": model, "instance_id": instance, "covers": int(n > 0)}
        | dict.fromkeys(SUMMED, n)
        for (model, instance), n in CELLS.items()
    ]
    return nw.from_native(pa.Table.from_pylist(rows))


def frame(*rows: dict[str, str]) -> nw.DataFrame[pa.Table]:
    return nw.from_native(pa.Table.from_pylist(list(rows)))


def told(parts: list[ModelSums]) -> dict[tuple[str, str], tuple[int, int]]:
    """Instances covered and sum of each model and instance set; all sums are alike here."""
    for part in parts:
        assert len(set(part.sums.values())) == 1
        assert set(part.sums) == set(SUMMED)
    found = {(part.model_id, part.instance_set): (part.covered, part.sums["n"]) for part in parts}
    assert len(found) == len(parts)
    return found


def test_own_sums_are_those_of_shared_and_all_other_instances() -> None:
    shared = frame({"benchmark_id": "b", "instance_id": "i"})
    assert told(sums.own_and_shared(cells(), shared)) == {
        ("m", "own"): (2, 8),
        ("m", "shared"): (1, 3),
        ("n", "own"): (2, 18),
        ("n", "shared"): (1, 7),
    }


def test_whole_sums_are_over_every_cell() -> None:
    assert told(sums.own_whole(cells())) == {("m", "own_whole"): (2, 8), ("n", "own_whole"): (2, 18)}


def test_a_pair_is_summed_over_what_both_cover() -> None:
    found = sums.pairs(cells(), frame({"benchmark_id": "b", "model_id": "m", "reference_id": "n"}))
    assert set(found) == {("b", "m", "pair"), ("b", "m", "pair_reference")}
    assert told(list(found.values())) == {("m", "pair"): (1, 3), ("m", "pair_reference"): (1, 7)}
