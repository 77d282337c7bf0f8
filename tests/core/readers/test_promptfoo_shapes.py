"""promptfoo shapes: both generations of rows fit one type."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from effspark.readers.promptfoo_shapes import Provider, ResultRow


@pytest.mark.parametrize(
    ("provider", "read"),
    [("openai:gpt-4o", "openai:gpt-4o"), ({"id": "a", "x": 1}, Provider(id="a")), (None, None)],
)
def test_a_provider_is_a_text_or_an_object(provider: Any, read: Any) -> None:
    assert msgspec.convert({"provider": provider}, ResultRow).provider == read


def test_names_are_those_of_the_tool() -> None:
    said = {
        "promptId": "p",
        "testIdx": 1,
        "failureReason": 2,
        "latencyMs": 3.5,
        "namedScores": {"a": None},
        "testCase": {"assert": [{"type": "equals"}]},
        "gradingResult": {"componentResults": None},
        "response": {"finishReason": "stop", "tokenUsage": {"completionDetails": {"reasoning": 4}}},
    }
    row = msgspec.convert(said, ResultRow)
    assert (row.prompt_id, row.test_idx, row.failure_reason, row.latency_ms) == ("p", 1, 2, 3.5)
    assert row.test_case is not None
    assert row.test_case.assertions == [{"type": "equals"}]
    assert row.response is not None
    assert row.response.finish_reason == "stop"
    assert row.response.token_usage is not None
    assert row.response.token_usage.completion_details is not None
    assert row.response.token_usage.completion_details.reasoning == 4
