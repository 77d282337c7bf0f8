"""Which instances or models does a multinomial resample hold? Exact counts, drawn with integers only.

    draw i of resample r = floor(mix(mix(r * G + s) + (i + 1) * G) * n / 2^64),   i = 0 .. n - 1, over the n sorted keys

Unlike keyed Poisson weights the draws depend on n: one key more changes them all. Source: definitions.md section 6.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from effspark.resampling.words import GOLDEN, Purpose, mix, of_purpose

Words = npt.NDArray[np.uint64]
Ints = npt.NDArray[np.int64]

_HALF = np.uint64(32)
_LOW = np.uint64(0xFFFFFFFF)


def multinomial(n: int, resamples: Ints, *, seed: int, purpose: Purpose) -> Ints:
    """Places, in the order of the sorted keys, that each resample draws.

    Parameters
    ----------
    n
        Number of keys, below 2^32.
    resamples
        Numbers of the resamples, from 0, shape (resamples,).

    Returns
    -------
    Ints
        Shape (resamples, n), each from 0 to n - 1.

    >>> multinomial(5, np.arange(2), seed=0, purpose=Purpose.MODELS)
    array([[2, 1, 1, 2, 1],
           [3, 0, 3, 4, 1]])
    """
    start = mix(resamples.astype(np.uint64) * GOLDEN + of_purpose(seed, purpose))
    steps = np.arange(1, n + 1, dtype=np.uint64) * GOLDEN
    return _scaled(mix(start[:, None] + steps[None, :]), n)


def counts(drawn: Ints) -> Ints:
    """How often each place was drawn, shape (resamples, n).

    >>> counts(np.array([[0, 2, 2]]))
    array([[1, 0, 2]])
    """
    resamples, n = drawn.shape
    flat = drawn + np.arange(resamples)[:, None] * n
    return np.bincount(flat.ravel(), minlength=resamples * n).reshape(resamples, n)


def _scaled(word: Words, n: int) -> Ints:
    """High half of the 128-bit product of a word and n."""
    factor = np.uint64(n)
    low = (word & _LOW) * factor >> _HALF
    high: Ints = (((word >> _HALF) * factor + low) >> _HALF).astype(np.int64)
    return high
