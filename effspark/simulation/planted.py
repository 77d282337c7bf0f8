"""Which models are planted? Their budgets and behaviour; models.py says what the figures mean."""

from __future__ import annotations

from collections.abc import Mapping

from effspark.simulation.instances import CHAINS, GSM8K
from effspark.simulation.models import Behaviour, Model, Trace

MODELS: Mapping[str, Model] = {
    "kestrel-70b": Model(
        name="vllm/kestrel-70b",
        budgets=(1024,),
        trace=Trace.OPEN,
        temperature=0.6,
        reasoning_share=0.8,
        behaviour={
            GSM8K: Behaviour(completion=0.98, correctness=0.92, slope=0.1, overhead=26, coupling=0.05),
            CHAINS: Behaviour(completion=0.97, correctness=0.85, slope=0.15, overhead=30, coupling=0.1),
        },
    ),
    "kestrel-8b": Model(
        name="vllm/kestrel-8b",
        budgets=(1024,),
        temperature=0.6,
        repetition=0.4,
        behaviour={
            GSM8K: Behaviour(completion=0.94, correctness=0.74, slope=0.2, overhead=44, coupling=0.2),
            CHAINS: Behaviour(
                completion=0.9, correctness=0.62, slope=0.3, overhead=52, coupling=0.5, mislabelled=0.3
            ),
        },
    ),
    "kestrel-8b-short": Model(
        name="vllm/kestrel-8b",
        budgets=(512,),
        temperature=0.6,
        repetition=0.4,
        behaviour={GSM8K: Behaviour(completion=0.8, correctness=0.76, slope=0.2, overhead=36, coupling=0.2)},
    ),
    "wren-flash": Model(
        name="mistral/wren-flash",
        budgets=(1024,),
        temperature=0.0,
        behaviour={
            GSM8K: Behaviour(completion=0.995, correctness=0.8, slope=0.15, overhead=15, coupling=0.3),
            CHAINS: Behaviour(
                completion=0.99, correctness=0.7, slope=0.2, overhead=18, coupling=0.05, agent_limit=0.06
            ),
        },
    ),
    "lumen-pro": Model(
        name="lumen-pro",
        budgets=(),
        cap=1024,
        trace=Trace.HIDDEN,
        reasoning_share=0.9,
        behaviour={
            GSM8K: Behaviour(
                completion=0.94, correctness=0.95, slope=0.05, overhead=55, coupling=0.15, refusal=0.05,
                missing=0.4, mislabelled=0.3,
            ),
            CHAINS: Behaviour(
                completion=0.9, correctness=0.9, slope=0.1, overhead=48, coupling=0.25, refusal=0.03,
                missing=0.4, mislabelled=0.3,
            ),
        },
    ),
    "lumen-mini": Model(
        name="lumen-mini",
        budgets=(768, 1024),
        trace=Trace.HIDDEN,
        temperature=1.0,
        reasoning_effort="low",
        reasoning_share=0.7,
        behaviour={GSM8K: Behaviour(completion=0.93, correctness=0.86, slope=0.1, overhead=60, coupling=0.1)},
    ),
    "o4-heron": Model(
        name="o4-heron",
        budgets=(1024,),
        trace=Trace.HIDDEN,
        temperature=1.0,
        reasoning_effort="medium",
        reasoning_share=0.95,
        behaviour={
            GSM8K: Behaviour(
                completion=0.88, correctness=0.96, slope=0.03, overhead=70, coupling=0.25, missing=0.5
            ),
            CHAINS: Behaviour(
                completion=0.84, correctness=0.93, slope=0.05, overhead=55, coupling=0.3, missing=0.5
            ),
        },
    ),
    "o4-heron-uncounted": Model(
        name="o4-heron",
        budgets=(2048,),
        trace=Trace.HIDDEN,
        route="openai",
        temperature=0.0,
        counted=False,
        behaviour={GSM8K: Behaviour(completion=1.0, correctness=0.96, overhead=70)},
    ),
    "plover-7b": Model(
        name="meta/plover-7b",
        budgets=(1024,),
        route="vllm",
        temperature=0.0,
        repetition=0.3,
        behaviour={
            GSM8K: Behaviour(completion=0.92, correctness=0.55, slope=0.3, overhead=48, coupling=0.1),
            CHAINS: Behaviour(completion=0.94, correctness=0.0, overhead=60, coupling=0.1),
        },
    ),
    "plover-13b": Model(
        name="meta/plover-13b",
        budgets=(),
        cap=1000,
        tells_end=False,
        route="openrouter",
        temperature=0.7,
        reasoning_effort="low",
        reasoning_share=0.5,
        trace=Trace.OPEN,
        behaviour={CHAINS: Behaviour(completion=0.93, correctness=0.5, slope=0.2, overhead=58, coupling=0.2)},
    ),
}  # fmt: skip
"""Planted models. Two share a name and differ in their budget; plover-7b is never right in chains."""
