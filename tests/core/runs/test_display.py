"""Names of models show what tells them apart, and nothing else."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from effspark.runs.display import display_names


def test_a_name_shows_only_what_tells_it_apart() -> None:
    parts = {"model": "m", "output_budget": "512", "temperature": 0.0, "reasoning_effort": "high"}
    assert display_names([parts | {"model_id": "a"}]) == {"a": "m"}
    two = [parts | {"model_id": "a"}, parts | {"model_id": "b", "temperature": None}]
    assert display_names(two) == {"a": "m (temperature 0.0)", "b": "m (temperature not set)"}


def test_a_part_that_tells_nothing_more_is_left_out() -> None:
    rows = [
        {"model_id": "a", "model": "m", "reasoning_effort": "low", "output_budget": "1"},
        {"model_id": "b", "model": "m", "reasoning_effort": "high", "output_budget": "2"},
        {"model_id": "c", "model": "n", "output_budget": "3"},
    ]
    assert display_names(rows) == {"a": "m (effort low)", "b": "m (effort high)", "c": "n"}


def test_namesakes_that_differ_in_several_parts_show_all_that_are_needed() -> None:
    rows = [
        {"model_id": "a", "model": "m", "output_budget": "1", "provider_route": "x"},
        {"model_id": "b", "model": "m", "output_budget": "1", "provider_route": "y"},
        {"model_id": "c", "model": "m", "output_budget": "2", "provider_route": "y"},
    ]
    assert display_names(rows) == {
        "a": "m (budget 1, via x)",
        "b": "m (budget 1, via y)",
        "c": "m (budget 2, via y)",
    }


part = st.sampled_from(["1", "2", None])


@settings(max_examples=30)
@given(st.lists(st.tuples(part, part, part), min_size=1, max_size=6, unique=True))
def test_no_two_models_share_a_name(configured: list[tuple[str | None, ...]]) -> None:
    rows = [
        {
            "model_id": str(place),
            "model": "m",
            "output_budget": one,
            "provider_route": two,
            "temperature": three,
        }
        for place, (one, two, three) in enumerate(configured)
    ]
    assert len(set(display_names(rows).values())) == len(rows)
