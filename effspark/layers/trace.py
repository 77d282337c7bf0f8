"""Is the trace redundant? The trace layer, as a function of sums.

    q = sum(sigma * T) / sum(T)      VO_sig = mean(sigma * T / W)      kappa_sig = mean(sigma * T) / (mean(W) * VO_sig)

sigma is the compressibility of a trace (definitions.md section 1). Source: paper section 3.3, definitions.md section 2.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from effspark.layers.outcome import ratio
from effspark.layers.workload import workload

Floats = npt.NDArray[np.float64]


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
