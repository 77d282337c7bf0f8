"""What limits each model beside its reference? Rows of `diagnoses` of one benchmark.

    factors of the workload layer on the instances that both cover, primary scale  ->  flags, primary cause, terms

Where token counts are missing mostly on cut runs, r_ctx is taken over all runs whose completion is known. Source: paper
section 6, definitions.md sections 1 and 7.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from effspark.analyses.diagnosis import Diagnosis, Kind, Profile, Thresholds, diagnose
from effspark.gold import work_rows, work_sums
from effspark.gold.block_sums import Key, named
from effspark.gold.parts import Part
from effspark.gold.undefined import known
from effspark.layers.estimates import ModelSums, informative_missing, settled
from effspark.sections import ReportSettings
from effspark.settings import Settings

Row = dict[str, Any]
Numbers = Mapping[Key, float]
Paired = Mapping[tuple[str, str, str], ModelSums]

SIDES = ("pair", "pair_reference")
UNKNOWN, NO_WORK = "completion_unknown", "no_work"


def diagnosis_rows(
    part: Part, numbers: Numbers, paired: Paired, scales: Sequence[str], settings: Settings
) -> list[Row]:
    """Rows of every model that has a reference other than itself.

    Parameters
    ----------
    numbers, paired
        Sums of the workload layer, and result of `sums.pairs`.
    scales
        Scales of the benchmark, of which the primary one is used.
    """
    scale = work_rows.primary_of(numbers, scales)
    if scale is None:
        return []
    thresholds = Thresholds(**settings.diagnosis.model_dump())
    sides = [
        named(numbers, work_sums.PART, work_sums.NAMES, scale=scale, instance_set=which) for which in SIDES
    ]
    rows = []
    for model, reference in part.references.items():
        if model == reference or not part.is_scored(model):
            continue
        (own, own_all), (other, other_all) = (
            _profile(side.get(model), paired.get((part.benchmark_id, model, which)), settings.report)
            for side, which in zip(sides, SIDES, strict=True)
        )
        base = {**part.against(model), "scale": scale, "all_runs": own_all or other_all}
        rows.append({**base, **_told(own, other, thresholds)})
    return rows


def _profile(
    sums: Mapping[str, float] | None, summed: ModelSums | None, settings: ReportSettings
) -> tuple[Profile, bool]:
    """Measures of one side, and whether its r_ctx is over all runs."""
    if sums is None or summed is None:
        return Profile(math.nan, math.nan, math.nan), False
    found = work_rows.factors(sums, settings)
    all_runs = settled(summed.sums, settings)
    known = all_runs["known"] + all_runs["missing_known"]
    over_all = known > 0 and informative_missing(all_runs, least=settings.least_runs_for_informative_missing)
    completed = all_runs["known_completed"] + all_runs["missing_completed"]
    r_ctx = completed / known if over_all else found["r_ctx"]
    return Profile(r_ctx, found["r_logic"], found["VO"]), over_all


def _told(model: Profile, reference: Profile, thresholds: Thresholds) -> Row:
    is_known = not any(
        math.isnan(value) for side in (model, reference) for value in (side.r_ctx, side.overhead)
    )
    found = (
        diagnose(model, reference, thresholds=thresholds) if is_known else Diagnosis(Kind.BALANCED, (), {})
    )
    silent = any(math.isnan(side.r_ctx) for side in (model, reference))
    reason = None if is_known else UNKNOWN if silent else NO_WORK
    terms = {f"{kind.value}_term": known(found.terms.get(kind, math.nan)) for kind in _TERMS}
    return {
        "primary_cause": found.primary.value if is_known else None,
        "flags": [flag.value for flag in found.flags],
        **{name: known(getattr(model, name)) for name in _MEASURES},
        **{f"reference_{name}": known(getattr(reference, name)) for name in _MEASURES},
        **terms,
        "thresholds": json.dumps(asdict(thresholds), sort_keys=True),
        "reason": reason,
    }


_MEASURES = ("r_ctx", "r_logic", "overhead")
_TERMS = (Kind.CONTEXT, Kind.LOGIC, Kind.VERBOSITY)
