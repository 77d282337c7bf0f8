"""Logs with planted truth: what a team of evals might drop, and what a correct pipeline must find in it.

    seed  ->  instances, runs  ->  logs of three teams in four formats  +  truth.json

For the demo, for tests and for planning. `simulate` writes; `Truth.tally_differences` and
`Truth.estimate_differences` compare what a pipeline found. The planted model is described in models.py; the
formats follow real logs of the tools, not the readers of this package, and nothing here imports a reader.
"""

from effspark.simulation.tallies import Stage
from effspark.simulation.truth import TRUTH_FILE, Truth, key_of, read_truth
from effspark.simulation.writing import simulate

__all__ = ["TRUTH_FILE", "Stage", "Truth", "key_of", "read_truth", "simulate"]
