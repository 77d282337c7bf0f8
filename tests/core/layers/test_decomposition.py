"""Decomposition: the shared vectors through moments, workload and trace; the terms add up exactly."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from effspark.layers.decomposition import TERMS, Decomposition, decompose, log_ratio, terms_of_resamples
from effspark.layers.outcome import outcome
from effspark.layers.trace import trace
from effspark.layers.workload import workload
from effspark.resampling.exact import exact_sum
from tests.core.layers.rows import Row, arrays, of_vector, sums

VECTORS = Path(__file__).resolve().parents[1] / "vectors"


def factors(logged: list[Row], work: Mapping[str, float] | None, *, traced: bool) -> dict[str, float]:
    """E0 and every factor of a layer, from the runs that have W."""
    used = [one for one in logged if work is None or work.get(one["instance"], 0) > 0]
    found = outcome(arrays(sums(of_vector(one) for one in used)))
    out = {name: float(found[name]) for name in ("E0", "r_ctx", "r_logic", "mean_T")} | {"n": len(used)}
    if work is None:
        return out
    tokens = np.array([one["tokens"] for one in used], float)
    w = np.array([work[one["instance"]] for one in used], float)
    weighed = [float(len(used)), exact_sum(tokens), exact_sum(w)]
    if traced:
        signal = tokens * np.array([one["sigma"] for one in used])
        of_signal = trace(*map(np.array, (*weighed, exact_sum(signal), exact_sum(signal / w))))
        out |= {"q_trace": float(of_signal.signal_share)}
        out |= {"VO": float(of_signal.overhead), "kappa": float(of_signal.coupling)}
    else:
        plain = workload(*map(np.array, (*weighed, exact_sum(tokens / w))))
        out |= {"VO": float(plain.overhead), "kappa": float(plain.coupling)}
    return out | {"mean_W": exact_sum(w) / len(used)}


def close(found: Mapping[str, float], expected: Mapping[str, float | str]) -> bool:
    wanted = {name: float(value) for name, value in expected.items()}
    return found == pytest.approx(wanted, rel=1e-12, abs=1e-12, nan_ok=True)


@pytest.mark.parametrize("path", sorted(VECTORS.glob("delta_log_*.json")), ids=lambda path: path.stem)
def test_delta_log_vectors_pass_through_the_core(path: Path) -> None:
    vector = json.loads(path.read_text())
    given_, expected = vector["input"], vector["expected"]
    layer = "outcome" if given_["W"] is None else "trace" if given_.get("use_trace") else "workload"
    runs = {
        side: [one for one in given_["runs"] if one["model"] == given_[side]]
        for side in ("model", "reference")
    }
    if given_["shared"]:
        both = set.intersection(*({one["instance"] for one in found} for found in runs.values()))
        runs = {side: [one for one in found if one["instance"] in both] for side, found in runs.items()}
    sides = {side: factors(found, given_["W"], traced=layer == "trace") for side, found in runs.items()}
    assert close(sides["model"], expected["factors"])
    assert close(sides["reference"], expected["reference"])
    parts = decompose(sides["model"], sides["reference"], layer=layer)
    assert tuple(parts.terms) == TERMS[layer]
    assert close(parts.terms, expected["terms"])
    whole = {"total": parts.total, "sum": parts.sum, "residual": parts.residual}
    assert close(whole, {name: expected[name] for name in whole})


@pytest.mark.parametrize(
    ("value", "reference", "expected"),
    [(2.0, 1.0, math.log(2)), (0.0, 1.0, -math.inf), (1.0, 0.0, math.nan), (0.0, 0.0, math.nan),
     (math.nan, 1.0, math.nan), (1.0, math.nan, math.nan)],
)  # fmt: skip
def test_a_log_ratio_is_minus_infinity_for_zero_and_undefined_against_zero(
    value: float, reference: float, expected: float
) -> None:
    assert log_ratio(value, reference) == pytest.approx(expected, nan_ok=True)


def logged(draws: list[tuple[bool, bool, int]]) -> list[Row]:
    return [
        {
            "model": "m",
            "instance": f"i{place}",
            "repeat": 0,
            "completed": done,
            "correct": right,
            "tokens": tokens,
        }
        for place, (done, right, tokens) in enumerate(draws)
    ]


some_runs = st.lists(st.tuples(st.booleans(), st.booleans(), st.integers(0, 10**6)), max_size=12).map(
    lambda draws: logged([(True, True, 10), *draws])
)


@settings(max_examples=30)
@given(some_runs, some_runs)
@pytest.mark.parametrize("layer", ["outcome", "workload"])
def test_the_terms_add_up_to_the_total_for_any_two_models(
    layer: str, own: list[Row], other: list[Row]
) -> None:
    work = None if layer == "outcome" else {f"i{place}": place + 1 for place in range(13)}
    parts = decompose(*(factors(runs, work, traced=False) for runs in (own, other)), layer=layer)
    assert abs(parts.residual) < 1e-13
    assert parts.total == pytest.approx(parts.sum, abs=1e-13)


def test_a_model_against_itself_has_terms_of_exactly_zero() -> None:
    found = factors(logged([(True, True, 7), (False, False, 9)]), {"i0": 3, "i1": 5}, traced=False)
    parts = decompose(found, found, layer="workload")
    assert parts == Decomposition(dict.fromkeys(TERMS["workload"], 0.0), 0.0, 0.0, 0.0)
    assert all(math.copysign(1, value) == 1 for value in parts.terms.values())


def test_gains_enter_with_plus_and_costs_with_minus() -> None:
    for layer, factors_of_layer in TERMS.items():
        one: dict[str, Any] = dict.fromkeys(("E0", *factors_of_layer), 1.0)
        for factor in factors_of_layer:
            parts = decompose(one | {factor: math.e}, one, layer=layer)
            assert parts.terms[factor] == (1.0 if factor in ("r_ctx", "r_logic", "q_trace") else -1.0)
            assert parts.sum == parts.terms[factor]


some_factor = st.sampled_from([0.0, 0.25, 0.5, 1.0, 3.0, math.nan])


@given(st.sampled_from(list(TERMS)), st.data())
def test_terms_of_resamples_equal_the_obvious_loop(layer: str, data: st.DataObject) -> None:
    names = ("E0", *TERMS[layer])
    several = st.fixed_dictionaries(dict.fromkeys(names, st.lists(some_factor, min_size=6, max_size=6)))
    own, other = data.draw(several), data.draw(several)
    arrays_ = [{name: np.array(values) for name, values in side.items()} for side in (own, other)]
    found = terms_of_resamples(*arrays_, layer=layer)
    assert tuple(found) == (*TERMS[layer], "total")
    for place in range(6):
        one, reference = ({name: values[place] for name, values in side.items()} for side in (own, other))
        parts = decompose(one, reference, layer=layer)
        expected = {**parts.terms, "total": parts.total}
        assert {name: values[place] for name, values in found.items()} == pytest.approx(expected, nan_ok=True)
