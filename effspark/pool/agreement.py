"""Do two scales of work order the models alike? Rank agreement of their mean overhead and coupling.

Source: paper appendix B.3, definitions.md sections 3 and 5. The rules of ranks stand in resampling/ranks.py.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from effspark.layers.workload import Workload
from effspark.resampling.ranks import max_rank_shift, spearman

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]


class Agreement(NamedTuple):
    """Spearman's rho of VO and of kappa, and their largest rank shift; shape (), or that of the leading axes."""

    rho_overhead: Floats
    rho_coupling: Floats
    overhead_shift: Floats
    coupling_shift: Floats


def agreement(one: Workload, other: Workload) -> Agreement:
    """Agreement of two workload layers of the same models, shape (..., models); an undefined value is NaN.

    >>> up = np.array([1.0, 2.0, 4.0])
    >>> agreement(Workload(up, up, up, up), Workload(up, 1 / up, up, up))[:2]
    (array(1.), array(-1.))
    """
    return Agreement(
        spearman(one.overhead, other.overhead),
        spearman(one.coupling, other.coupling),
        max_rank_shift(one.overhead, other.overhead),
        max_rank_shift(one.coupling, other.coupling),
    )


def of_models(layer: Workload, models: Ints) -> Workload:
    """Workload layer of some models, given by their columns.

    >>> of_models(Workload(*(np.array([1.0, 2.0]) for _ in range(4))), np.array([1])).overhead
    array([2.])
    """
    return Workload(*(part[..., models] for part in layer))
