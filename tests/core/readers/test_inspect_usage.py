"""Token counts of Inspect as each version and provider means them; graders apart."""

from __future__ import annotations

from typing import Any

import pytest

from effspark.errors import LogError
from effspark.readers.inspect_usage import FIELDS, Event, EventOutput, calls, counted, normalised
from effspark.runs import tokens

NO_CALLS = calls([], "openai/m")
OLD, NEW = (0, 3, 100), (0, 3, 285)


def reported(
    input_: int, output: int, total: int | None, *, read: int | None = None, reasoning: int | None = None
) -> dict[str, Any]:
    return {
        "input_tokens": input_,
        "output_tokens": output,
        "total_tokens": total,
        "input_tokens_cache_read": read,
        "reasoning_tokens": reasoning,
    }


def generated(
    usage: dict[str, Any], provider: str, version: tuple[int, ...]
) -> tuple[int | None, int | None, str]:
    """Input, T and convention that the counts come to."""
    found = normalised({name: usage.get(name) for name in FIELDS}, provider=provider, version=version)
    told = tokens.normalise(found, text="some text")
    return found.input, told.output, told.convention.value


@pytest.mark.parametrize(
    ("usage", "provider", "version", "expected"),
    [
        # the input holds the cached tokens before 0.3.184, and not from then on
        (reported(100, 20, 120, read=60), "openai", (0, 3, 183), (100, 20, "inclusive")),
        (reported(40, 20, 120, read=60), "openai", (0, 3, 184), (100, 20, "inclusive")),
        (reported(100, 20, 120, read=60), "google", (0, 3, 207), (100, 20, "inclusive")),
        (reported(40, 20, 120, read=60), "google", (0, 3, 208), (100, 20, "inclusive")),
        (reported(40, 20, None, read=60), "openai", (0, 3, 183), (40, 20, "assumed")),
        (reported(40, 20, None, read=60), "openai", (0, 3, 184), (100, 20, "assumed")),
        (reported(40, 20, None, read=60), "google", (0, 3, 207), (40, 20, "assumed")),
        (reported(40, 20, None, read=60), "google", (0, 3, 208), (100, 20, "assumed")),
        # Anthropic never counted them in; any provider whose old total says so neither
        (reported(40, 20, None, read=60), "anthropic", OLD, (100, 20, "assumed")),
        (reported(40, 20, 120, read=60), "bedrock", OLD, (100, 20, "inclusive")),
        # a total that leaves them out too is no gap
        (reported(25, 180, 205, read=10, reasoning=150), "mockllm", NEW, (35, 180, "inclusive")),
        # thoughts beside the output: Google before 0.3.245, Grok to this day
        (reported(100, 20, 170, reasoning=50), "google", (0, 3, 244), (100, 70, "additive")),
        (reported(100, 20, 999, reasoning=50), "google", (0, 3, 244), (100, 70, "additive")),
        (reported(100, 20, None, reasoning=15), "google", (0, 3, 244), (100, 35, "additive")),
        (reported(100, 70, 170, reasoning=50), "google", (0, 3, 245), (100, 70, "inclusive")),
        (reported(100, 70, 170, reasoning=50), "google", (0, 3, 244), (100, 70, "inclusive")),
        (reported(100, 20, None, reasoning=15), "grok", NEW, (100, 35, "additive")),
        (reported(100, 20, None, reasoning=15), "openai", NEW, (100, 20, "assumed")),
        # an old Google log names no thoughts, but its total holds them
        (reported(100, 20, 170), "google", OLD, (100, 70, "gap_folded")),
        # Anthropic's totals of 0.3.75 to 0.3.87 add the reasoning once more
        (reported(10, 300, 660, read=100, reasoning=250), "anthropic", (0, 3, 75), (110, 300, "inclusive")),
        (reported(10, 300, 660, read=100, reasoning=250), "anthropic", (0, 3, 87), (110, 300, "inclusive")),
        (reported(10, 300, 410, read=100, reasoning=250), "anthropic", (0, 3, 88), (110, 300, "inclusive")),
        # a log that does not name its version is an old one
        (reported(100, 20, 120, read=60), "openai", (), (100, 20, "inclusive")),
    ],
)
def test_counts_mean_what_their_version_says(
    usage: dict[str, Any], provider: str, version: tuple[int, ...], expected: tuple[int, int, str]
) -> None:
    assert generated(usage, provider, version) == expected


def model(output: int, span: str | None = None, name: str = "openai/m", **more: Any) -> Event:
    usage = {"input_tokens": 10 * output, "output_tokens": output, "total_tokens": 11 * output}
    return Event(event="model", model=name, span_id=span, output=EventOutput(usage), **more)


def test_calls_below_a_scorer_judge_however_deep_they_lie() -> None:
    events = [
        Event(event="span_begin", id="solve", type="solver"),
        model(2, "solve"),
        Event(event="span_begin", id="score", type="scorers"),
        Event(event="span_begin", id="match", parent_id="score", type="scorer"),
        Event(event="span_begin", id="tool", parent_id="match", type="tool"),
        model(30, "tool"),
        model(50, "match", name="openai/judge"),
        model(4, "solve"),
    ]
    found = calls(events, "openai/m")
    assert (found.answering, found.answers["output_tokens"], found.judgements["output_tokens"]) == (2, 6, 30)


def test_steps_of_old_logs_tell_judgements_too() -> None:
    events = [
        model(2),
        Event(event="step", type="scorer", action="begin"),
        model(30),
        Event(event="step", type="scorer", action="end"),
        model(4),
    ]
    found = calls(events, "openai/m")
    assert (found.answers["output_tokens"], found.judgements["output_tokens"]) == (6, 30)


def test_usage_of_other_models_is_never_added() -> None:
    by_model = {"openai/judge": reported(500, 70, 570), "openai/m": reported(10, 7, 17)}
    assert counted((by_model, None), NO_CALLS, model="openai/m", version=NEW).usage.output == 7
    del by_model["openai/m"]
    assert counted((by_model, None), NO_CALLS, model="openai/m", version=NEW).usage.output is None


def test_judgements_that_were_never_added_are_not_subtracted() -> None:
    made = calls([Event(event="step", type="scorer", action="begin"), model(30)], "openai/m")
    own = {"openai/m": reported(400, 40, 440)}
    assert counted((own, None), made, model="openai/m", version=NEW).usage.output == 10
    own = {"openai/m": reported(10, 7, 17)}
    assert counted((own, None), made, model="openai/m", version=NEW).usage.output == 7


def test_the_last_call_stands_for_the_sample_only_where_it_was_the_only_one() -> None:
    last = reported(10, 7, 17)
    one = counted((None, last), NO_CALLS, model="openai/m", version=NEW)
    assert (one.usage.output, one.one_call, one.flags) == (7, True, ())
    many = counted((None, last), NO_CALLS, model="openai/m", version=NEW, several=True)
    assert (many.usage.output, many.one_call, many.flags) == (None, False, ("usage_of_last_call",))
    transcript = counted((None, last), calls([model(2), model(7)], "openai/m"), model="openai/m", version=NEW)
    assert (transcript.usage.output, transcript.one_call) == (9, False)


def test_calls_beyond_the_last_make_its_text_a_part() -> None:
    by_model = {"openai/m": reported(30, 50, 80)}
    found = counted((by_model, reported(10, 7, 17)), NO_CALLS, model="openai/m", version=NEW)
    assert (found.usage.output, found.one_call) == (50, False)


def test_a_cut_call_without_output_has_no_count() -> None:
    by_model = {"openai/m": reported(100, 0, 100, reasoning=0)}
    cut = counted((by_model, None), NO_CALLS, model="openai/m", version=NEW, cut=True)
    assert (cut.usage.input, cut.usage.output, cut.flags) == (100, None, ("zero_usage",))
    assert counted((by_model, None), NO_CALLS, model="openai/m", version=NEW).usage.output == 0
    gap = {"google/m": reported(100, 0, 1098, reasoning=0)}
    told = counted((gap, None), NO_CALLS, model="google/m", version=NEW, cut=True).usage
    assert tokens.normalise(told, text=None).output == 998


def test_all_zeros_are_no_usage() -> None:
    found = counted((None, reported(0, 0, 0)), NO_CALLS, model="openai/m", version=NEW)
    assert (found.usage.input, found.usage.output, found.flags) == (None, None, ("zero_usage",))
    assert counted((None, {}), NO_CALLS, model="openai/m", version=NEW).flags == ()


def test_cost_is_known_only_where_no_judgement_is_in_it() -> None:
    own = {"openai/m": {**reported(400, 40, 440), "total_cost": 0.5}}
    judged = calls([Event(event="step", type="scorer", action="begin"), model(30)], "openai/m")
    assert counted((own, None), NO_CALLS, model="openai/m", version=NEW).cost == 0.5
    assert counted((own, None), judged, model="openai/m", version=NEW).cost is None


@pytest.mark.parametrize("value", [-1, 1.5, "7", True, 10**12])
def test_a_count_that_is_none_is_refused(value: Any) -> None:
    with pytest.raises(LogError, match="output_tokens: found"):
        counted(({"openai/m": {"output_tokens": value}}, None), NO_CALLS, model="openai/m", version=NEW)
