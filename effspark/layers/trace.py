"""Is the trace redundant? The trace layer, as a function of sums.

    q = sum(sigma * T) / sum(T)      VO_sig = mean(sigma * T / W)      kappa_sig = mean(sigma * T) / (mean(W) * VO_sig)

    sigma = min(1, bytes of the trace compressed by zlib level 6 / bytes of the trace in UTF-8), undefined for no trace

Sizes are those of stock zlib: other deflate libraries give others for the same text, so `check_zlib` compresses a known
text first. A trace is what was generated, and whole (runs/generation.py). sigma measures repetition on the surface, not
whether the reasoning is sound. Source: paper section 3.3, definitions.md sections 1 and 2.
"""

from __future__ import annotations

import zlib
from fractions import Fraction
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from effspark.errors import EffsparkError, problem
from effspark.layers.outcome import ratio
from effspark.layers.workload import workload

Floats = npt.NDArray[np.float64]

LEVEL = 6
LIBRARY = f"zlib {zlib.ZLIB_RUNTIME_VERSION}"
SIGNAL_BITS = 40
"""sigma * T is summed in units of 2^-40 token, so that sums are integers."""
KNOWN_BYTES = 5030
"""Size of `known_text` compressed by stock zlib at level 6; zlib-ng and isa-l give other sizes."""
_KNOWN_WORDS = (
    "wait let me check again the first second person house is red so then 12 3.5 = + therefore answer"
)


class Compressed(NamedTuple):
    """Size of a trace in UTF-8 and compressed, in bytes, with the level and the library that gave it."""

    utf8_bytes: int
    compressed_bytes: int
    level: int
    library: str


class Trace(NamedTuple):
    """Signal share of the tokens, and overhead and coupling of the signal; one shape."""

    signal_share: Floats
    overhead: Floats
    coupling: Floats


def trace(n: Floats, tokens: Floats, work: Floats, signal: Floats, signal_per_work: Floats) -> Trace:
    """Trace layer from sums over the runs that have a trace (and W).

    Parameters
    ----------
    n, tokens, work, signal, signal_per_work
        Number of runs, sums of T, W, sigma*T and sigma*T/W; one shape.

    >>> trace(np.array(2.0), np.array(100.0), np.array(4.0), np.array(50.0), np.array(25.0))[0].item()
    0.5
    """
    of_signal = workload(n, signal, work, signal_per_work)
    return Trace(ratio(signal, tokens), of_signal.overhead, of_signal.coupling)


def compressed(text: str) -> Compressed:
    """Sizes of a trace.

    >>> compressed("the cat sat " * 40)[:3]
    (480, 24, 6)
    """
    plain = text.encode("utf-8", "surrogatepass")
    return Compressed(len(plain), len(zlib.compress(plain, LEVEL)), LEVEL, LIBRARY)


def sigma(utf8_bytes: Floats, compressed_bytes: Floats) -> Floats:
    """Compressibility from sizes, in (0, 1]: 1 where nothing repeats, NaN where there is no text.

    >>> sigma(np.array([480.0, 3.0, 0.0]), np.array([24.0, 11.0, 8.0]))
    array([0.05, 1.  ,  nan])
    """
    return np.minimum(1.0, ratio(compressed_bytes, utf8_bytes))


def signal_units(tokens: int, utf8_bytes: int, compressed_bytes: int) -> int | None:
    """Signal of a run, sigma * T, in units of 2^-SIGNAL_BITS token, rounded half to even; null where there is no text.

    >>> signal_units(3, 480, 24) == round(3 * 0.05 * 2**40), signal_units(3, 0, 8)
    (True, None)
    """
    if utf8_bytes == 0:
        return None
    return round(Fraction(tokens * min(compressed_bytes, utf8_bytes) << SIGNAL_BITS, utf8_bytes))


def known_text() -> str:
    """Text of 24,350 letters on which deflate libraries differ, the same everywhere.

    >>> known_text()[:38]
    'therefore therefore then 3.5 red secon'
    """
    state, words, drawn = 1, _KNOWN_WORDS.split(), []
    for _ in range(5000):
        state = (state * 1103515245 + 12345) % 2**31
        drawn.append(words[(state >> 16) % len(words)])
    return " ".join(drawn)


def check_zlib() -> None:
    """Make sure that this Python compresses by stock zlib.

    Raises
    ------
    EffsparkError
        The known text has another size.

    >>> check_zlib()
    """
    found = compressed(known_text())
    if found.compressed_bytes != KNOWN_BYTES:
        raise EffsparkError(
            problem(
                "another deflate library stands in for zlib, so sigma would not compare",
                where=found.library,
                found=f"{found.compressed_bytes} bytes for the known text",
                allowed=f"{KNOWN_BYTES} bytes, as stock zlib gives at level {LEVEL}",
                remedy="use a Python linked with stock zlib",
            )
        )
