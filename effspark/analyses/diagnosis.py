"""What limits a model's efficiency: context, verbosity, logic, or nothing in particular?

    flags:    context     r_ctx < 0.90
              verbosity   VO >= 3 * reference
              logic       r_logic <= 0.5 * reference
              redundancy  q < 0.15 and VO_sig above the reference, or q < 0.5 * reference
    primary:  context, where flagged and r_logic >= 0.9 * reference;
              else the most negative of log r_ctx, log r_logic, -log VO against the reference that is below -0.10;
              else balanced

Redundancy is a flag and never primary. An undefined term is no reason. The thresholds are conf and are told with each
diagnosis. Source: paper section 6 (Table 5), definitions.md section 7.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple

from effspark.layers.decomposition import log_ratio


class Kind(str, Enum):
    """What a model is limited by."""

    CONTEXT = "context"
    VERBOSITY = "verbosity"
    LOGIC = "logic"
    REDUNDANCY = "redundancy"
    BALANCED = "balanced"


@dataclass(frozen=True)
class Thresholds:
    """From where on a measure is a sign; factors are of the reference's measure, terms in nats."""

    least_completion: float = 0.90
    verbosity_factor: float = 3.0
    logic_factor: float = 0.5
    least_signal: float = 0.15
    signal_factor: float = 0.5
    sound_logic_factor: float = 0.9
    least_term: float = -0.10


PAPER = Thresholds()
"""Thresholds that give every label in the paper's text."""


class Profile(NamedTuple):
    """Measures of one model; undefined is NaN, as q and the overhead of the signal are without traces."""

    r_ctx: float
    r_logic: float
    overhead: float
    signal_share: float = math.nan
    signal_overhead: float = math.nan


class Diagnosis(NamedTuple):
    """What the model is mainly limited by, all flags in the order of `Kind`, and the terms in nats by kind."""

    primary: Kind
    flags: tuple[Kind, ...]
    terms: dict[Kind, float]


def diagnose(model: Profile, reference: Profile, *, thresholds: Thresholds = PAPER) -> Diagnosis:
    """Diagnosis of a model against the reference.

    >>> found = diagnose(Profile(0.77, 0.97, 53.01), Profile(0.98, 0.91, 19.84))
    >>> found.primary.value, [flag.value for flag in found.flags], round(found.terms[Kind.VERBOSITY], 3)
    ('context', ['context'], -0.983)
    """
    flags = tuple(kind for kind, is_flagged in _signs(model, reference, thresholds).items() if is_flagged)
    terms = {
        Kind.CONTEXT: log_ratio(model.r_ctx, reference.r_ctx),
        Kind.LOGIC: log_ratio(model.r_logic, reference.r_logic),
        Kind.VERBOSITY: 0.0 - log_ratio(model.overhead, reference.overhead),
    }
    sound = model.r_logic >= thresholds.sound_logic_factor * reference.r_logic
    if Kind.CONTEXT in flags and sound:
        return Diagnosis(Kind.CONTEXT, flags, terms)
    telling = {kind: term for kind, term in terms.items() if term < thresholds.least_term}
    return Diagnosis(min(telling, key=telling.__getitem__, default=Kind.BALANCED), flags, terms)


def _signs(model: Profile, reference: Profile, limits: Thresholds) -> dict[Kind, bool]:
    """Flags by kind; what is undefined flags nothing."""
    thin = model.signal_share < limits.least_signal and model.signal_overhead > reference.signal_overhead
    thinner = model.signal_share < limits.signal_factor * reference.signal_share
    return {
        Kind.CONTEXT: model.r_ctx < limits.least_completion,
        Kind.VERBOSITY: model.overhead >= limits.verbosity_factor * reference.overhead,
        Kind.LOGIC: model.r_logic <= limits.logic_factor * reference.r_logic,
        Kind.REDUNDANCY: thin or thinner,
    }
