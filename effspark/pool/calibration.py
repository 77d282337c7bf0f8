"""Does work derived from solvers order the models as native work does?

Native VO and kappa on all instances that have native W, solver-derived ones on the instances that are solved, or both
on the common instances. Whether a high agreement is one of tied ranks is told by tau-b, the number of distinct W and
the largest block of equal W. Source: paper section 5.3 and appendices B.6 and C.1, definitions.md section 5.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from effspark.layers.workload import Workload, has_work, over_instances
from effspark.pool.agreement import Agreement, agreement
from effspark.pool.cells import Cells
from effspark.resampling.ranks import kendall

Floats = npt.NDArray[np.float64]


class Calibration(NamedTuple):
    """Both layers, shape (models,), how they agree, and the geometry of the native scale.

    `retained_instances`, `unique_work` and `largest_tie_block` are of the native scale where it is used; coverages are
    shares of all instances.
    """

    native: Workload
    solver: Workload
    agreement: Agreement
    tau_overhead: float
    tau_coupling: float
    native_coverage: float
    solver_coverage: float
    retained_instances: int
    unique_work: int
    largest_tie_block: int


def calibration(cells: Cells, native: Floats, solver: Floats, *, common: bool = False) -> Calibration:
    """Compare two scales of work over the models of `cells`.

    Parameters
    ----------
    native, solver
        W of each instance, NaN where there is none, shape (instances,).
    common
        Native work only where there is solver-derived work too, and the other way round.

    >>> n = np.ones((3, 4), int)
    >>> tokens = np.array([[2, 4, 6, 9], [3, 6, 8, 10], [4, 8, 9, 11]])
    >>> one = Cells(tuple("abcd"), n, tokens, n, n, tokens)
    >>> found = calibration(one, np.array([1.0, 1.0, 2.0]), tokens[:, 0].astype(float))
    >>> found.agreement.rho_overhead, found.unique_work, found.largest_tie_block, found.solver_coverage
    (array(1.), 2, 2, 1.0)
    """
    has_native, has_solver = has_work(native), has_work(solver)
    both = has_native & has_solver
    used = both if common else has_native
    n, tokens = cells.n.astype(float), cells.tokens.astype(float)
    of_native = over_instances(n, tokens, np.where(used, native, np.nan))
    of_solver = over_instances(n, tokens, np.where(both if common else has_solver, solver, np.nan))
    tau_overhead, tau_coupling = taus(of_native, of_solver)
    blocks = np.unique(native[used], return_counts=True)[1]
    return Calibration(
        native=of_native,
        solver=of_solver,
        agreement=agreement(of_native, of_solver),
        tau_overhead=tau_overhead,
        tau_coupling=tau_coupling,
        native_coverage=_share(has_native),
        solver_coverage=_share(has_solver),
        retained_instances=int(used.sum()),
        unique_work=len(blocks),
        largest_tie_block=int(blocks.max(initial=0)),
    )


def taus(one: Workload, other: Workload) -> tuple[float, float]:
    """Kendall's tau-b of VO and of kappa of two layers of the same models; undefined is NaN.

    >>> up = np.array([1.0, 2.0, 4.0])
    >>> taus(Workload(up, up, up, up), Workload(up, 1 / up, up, up))
    (1.0, -1.0)
    """
    return kendall(one.overhead, other.overhead).item(), kendall(one.coupling, other.coupling).item()


def _share(flags: npt.NDArray[np.bool_]) -> float:
    return float(flags.mean()) if len(flags) else np.nan
