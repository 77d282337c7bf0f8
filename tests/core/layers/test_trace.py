"""The trace layer: the shared vector, and how it stands to the workload layer."""

from __future__ import annotations

import json
import zlib
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from effspark.errors import EffsparkError
from effspark.layers.trace import Trace, check_zlib, compressed, known_text, sigma, signal_units, trace
from effspark.layers.workload import workload
from effspark.resampling.exact import exact_sum

VECTORS = Path(__file__).resolve().parents[1] / "vectors"


def layer(tokens: list[float], work: list[float], sigma: list[float]) -> Trace:
    t, w, s = np.array(tokens, float), np.array(work, float), np.array(sigma, float)
    sums = (float(len(t)), exact_sum(t), exact_sum(w), exact_sum(s * t), exact_sum(s * t / w))
    return trace(*(np.array(value) for value in sums))


def test_the_trace_vector_passes_through_the_core() -> None:
    vector = json.loads((VECTORS / "trace_layer.json").read_text())
    given, expected = vector["input"], vector["expected"]
    found = layer(given["tokens"], given["workload"], given["sigma"])
    computed = {"q_trace": found.signal_share, "VO_sig": found.overhead, "kappa_sig": found.coupling}
    for name, value in computed.items():
        assert float(value) == pytest.approx(expected[name], rel=1e-12, abs=1e-12), name
    mean_signal = float(found.overhead * found.coupling) * expected["mean_W"]
    assert mean_signal == pytest.approx(expected["mean_signal"], rel=1e-12)
    assert mean_signal == pytest.approx(float(found.signal_share) * expected["mean_T"], rel=1e-12)


def test_a_trace_without_redundancy_has_the_workload_layer_of_its_tokens() -> None:
    tokens, work = [100.0, 200.0, 400.0], [2.0, 5.0, 8.0]
    found = layer(tokens, work, [1.0, 1.0, 1.0])
    plain = workload(*(np.array(value) for value in (3.0, 700.0, 15.0, 140.0)))
    assert found.signal_share == 1.0
    assert (found.overhead, found.coupling) == (plain.overhead, plain.coupling)


def test_q_weighs_tokens_not_runs() -> None:
    assert layer([100, 900], [1, 1], [1.0, 0.5]).signal_share == pytest.approx(0.55)


def test_no_token_has_no_signal_share() -> None:
    assert np.isnan(layer([0.0], [1.0], [0.5]).signal_share)


def test_sigma_vectors_pass_through_the_core() -> None:
    vector = json.loads((VECTORS / "sigma_c.json").read_text())
    given_, expected = vector["input"], [float(value) for value in vector["expected"]]
    sizes = [compressed(text) for text in given_["traces"]]
    assert [one.utf8_bytes for one in sizes] == given_["utf8_bytes"]
    assert [one.compressed_bytes for one in sizes] == given_["compressed_bytes"]
    plain, packed = np.array([one[:2] for one in sizes], float).T
    assert sigma(plain, packed).tolist() == pytest.approx(expected, rel=1e-12, nan_ok=True)


def test_sizes_are_those_of_one_call_with_the_wrapper() -> None:
    text = known_text()
    deflater = zlib.compressobj(6, zlib.DEFLATED, 15, 8)
    assert compressed(text).compressed_bytes == len(deflater.compress(text.encode()) + deflater.flush())
    assert compressed(text)[2:] == (6, f"zlib {zlib.ZLIB_RUNTIME_VERSION}")


def test_half_a_character_does_not_stop_the_measure() -> None:
    assert compressed("a\ud800").utf8_bytes == 4


@pytest.mark.parametrize("level", [1, 5, 7, 9])
def test_another_way_to_deflate_is_refused(level: int, monkeypatch: pytest.MonkeyPatch) -> None:
    check_zlib()
    stock = zlib.compress
    monkeypatch.setattr(zlib, "compress", lambda plain, _: stock(plain, level))
    with pytest.raises(
        EffsparkError, match="allowed: 5030 bytes, as stock zlib gives at level 6; use a Python"
    ):
        check_zlib()


@given(st.integers(0, 10**7), st.integers(1, 10**8), st.integers(0, 10**8))
def test_signal_is_the_product_rounded_once(tokens: int, plain: int, packed: int) -> None:
    exact = Fraction(tokens) * min(Fraction(1), Fraction(packed, plain)) * 2**40
    units = signal_units(tokens, plain, packed)
    assert units is not None
    assert abs(units - exact) <= Fraction(1, 2)
    assert abs(units - exact) < Fraction(1, 2) or units % 2 == 0


def test_no_text_has_no_signal() -> None:
    assert signal_units(5, 0, 8) is None
