"""What is a model called among others? By its name, and by what tells it from its namesakes.

rows of model_id and MODEL_PARTS  ->  display name
"""

from __future__ import annotations

from typing import Any


def display_names(models: list[dict[str, Any]]) -> dict[str, str]:
    """Name of each model that shows only what tells it apart from the others of the list.

    Parameters
    ----------
    models
        Rows with model_id and MODEL_PARTS; one row a model.

    >>> display_names([dict(model_id="a", model="m", output_budget="512", temperature=0.0),
    ...                dict(model_id="b", model="m", output_budget="4096", temperature=1.0),
    ...                dict(model_id="c", model="n", output_budget="512", temperature=1.0)])
    {'a': 'm (budget 512)', 'b': 'm (budget 4096)', 'c': 'n'}
    """
    namesakes: dict[str, list[dict[str, Any]]] = {}
    for row in models:
        namesakes.setdefault(row["model"], []).append(row)
    shown = {}
    for name, rows in namesakes.items():
        telling = _telling_parts(rows)
        for row in rows:
            marks = [f"{_SPOKEN[part]} {_spoken(row.get(part))}" for part in telling]
            shown[row["model_id"]] = f"{name} ({', '.join(marks)})" if marks else name
    return shown


_SPOKEN = {
    "reasoning_effort": "effort",
    "output_budget": "budget",
    "temperature": "temperature",
    "model_revision": "revision",
    "provider_route": "via",
    "tokenizer_family": "tokenizer",
}


def _spoken(value: Any) -> str:
    return "not set" if value is None else str(value)


def _telling_parts(rows: list[dict[str, Any]]) -> list[str]:
    """Fewest parts, in the order of _SPOKEN, that tell models of one name apart."""
    telling: list[str] = []
    for part in _SPOKEN:
        groups = len({tuple(row.get(name) for name in telling) for row in rows})
        if groups == len(rows):
            break
        if len({tuple(row.get(name) for name in (*telling, part)) for row in rows}) > groups:
            telling.append(part)
    return telling
