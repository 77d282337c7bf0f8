"""Truncation loops: the shared vectors, and n-grams counted one by one."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from effspark.analyses.loops import WINDOW, N, tail, truncations
from tests.core.pool.loops import names, of, vector


@pytest.mark.parametrize("name", ["loop_audit", "loop_audit_short"])
def test_the_vectors_of_tails_pass(name: str) -> None:
    given_, expected = vector(name)
    found = tail(given_["text"], given_["prompt"], n=given_["n"], window=given_["window"])
    wanted = {key: float(value) for key, value in expected.items()}
    assert found._asdict() == pytest.approx(wanted, rel=1e-12, nan_ok=True)


def test_the_vector_of_the_truncation_audit_passes() -> None:
    given_, expected = vector("truncation_audit")
    runs, size = given_["runs"], {"n": given_["n"], "window": given_["window"]}
    models = names(runs, "model")
    cut = [run for run in runs if not run["completed"]]
    tails = [tail(run["trace"], run["prompt"], **size) for run in cut]
    found = truncations(
        np.array([sum(not run["completed"] for run in of(runs, model)) for model in models], float),
        np.array([len(of(runs, model)) for model in models], float),
        np.array([one.repeated_fraction for one in tails]),
        np.array([one.prompt_copy for one in tails]),
    )
    assert dict(zip(models, found.rates, strict=True)) == pytest.approx(expected.pop("rates"))
    told = {
        "total_truncated": found.total,
        "max_truncation_rate": found.max_rate,
        "median_truncation_rate": found.median_rate,
        "mean_repeated_tail": found.mean_repeated,
        "mean_prompt_copy_tail": found.mean_prompt_copy,
    }
    assert told == pytest.approx(expected, rel=1e-12)


words = st.lists(st.sampled_from("ab"), max_size=14)


@given(words, words, st.integers(1, 4), st.integers(1, 12))
def test_tails_equal_the_obvious_count(text: list[str], prompt: list[str], n: int, window: int) -> None:
    last = text[len(text) - window :] if len(text) > window else text
    grams = [tuple(last[start : start + n]) for start in range(len(last) - n + 1)]
    asked = [tuple(prompt[start : start + n]) for start in range(len(prompt) - n + 1)]
    found = tail(" ".join(text), "\n".join(prompt), n=n, window=window)
    assert found.n_grams == len(grams)
    if not grams:
        assert all(map(math.isnan, found[1:]))
        return
    distinct = sum(gram not in grams[:place] for place, gram in enumerate(grams))
    assert found.repeated_fraction == pytest.approx(1 - distinct / len(grams))
    assert found.repeated_member_fraction == pytest.approx(
        sum(grams.count(gram) > 1 for gram in grams) / len(grams)
    )
    assert found.prompt_copy == pytest.approx(sum(gram in asked for gram in grams) / len(grams))


def test_without_a_prompt_only_the_copy_is_unknown() -> None:
    found = tail("a a a a a", None)
    assert found[:3] == (2, 0.5, 1.0)
    assert math.isnan(found.prompt_copy)


def test_the_window_and_n_are_the_papers() -> None:
    assert (N, WINDOW) == (4, 512)
    assert tail(" ".join(map(str, range(600))), None).n_grams == 509


def test_no_truncated_run_has_rates_but_no_tail() -> None:
    found = truncations(np.zeros(2), np.array([3.0, 0.0]), np.array([]), np.array([]))
    assert (found.total, found.max_rate, found.median_rate) == (0, 0.0, 0.0)
    assert math.isnan(found.rates[1])
    assert math.isnan(found.mean_repeated)


def test_tails_weigh_runs_not_models() -> None:
    found = truncations(
        np.array([3.0, 1.0]), np.array([4.0, 4.0]), np.array([1.0, 1.0, 1.0, 0.0]), np.zeros(4)
    )
    assert found.mean_repeated == 0.75
