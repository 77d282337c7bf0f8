"""One record as a run, by a plan."""

from __future__ import annotations

from datetime import datetime, timezone
from typing import Any

import pytest

from effspark.errors import LogError
from effspark.readers.mapped_runs import Plan, planned
from effspark.readers.mappings import Mapping
from effspark.runs.record import Configuration, LoggedRun, LoggedVerdict, ScoreKind, Status, Visibility
from effspark.runs.tokens import TokenSource, Usage

LEAST = {"name": "own", "version": 1, "model": "m", "instance": "i", "benchmark": {"value": "gsm8k"}}
ROW = {"m": "acme/one", "i": 7}


def plan(cells: bool = False, hidden: tuple[str, ...] = (), **said: Any) -> Plan:
    return planned(Mapping.model_validate(LEAST | said), cells=cells, hidden_trace_models=hidden)


def test_a_record_with_the_least_is_a_run_with_nothing_else() -> None:
    expected = LoggedRun(
        configuration=Configuration(request_model="acme/one"), benchmark_id="gsm8k", instance_id=7
    )
    assert plan().run(ROW) == expected


def test_every_kind_of_field_goes_to_its_place() -> None:
    said = {
        "attempt": "n", "temperature": "t", "output_budget_tokens": {"value": 64}, "input_tokens": "u.in",
        "output_tokens": {"expr": "u.all - column('u.in')"}, "token_source": {"value": "server"},
        "additive": {"value": True},
        "status": "s", "started_at": "at", "latency_seconds": "w", "seed": "seed",
        "trace_visibility": "shown",
        "verdicts": {"judge": {"value": "ok", "extracted_answer": "said"}},
        "axes": {"depth": "d", "width": "gone"}, "tags": {"topic": "d", "none": "gone"},
    }  # fmt: skip
    row = ROW | {"n": 2, "t": 1, "u": {"in": 3, "all": 10}, "s": "error", "at": "2026-01-01T00:00:00Z",
    "w": 2,
                 "seed": -1, "shown": "summary", "ok": False, "said": 18, "d": 4}  # fmt: skip
    assert plan(**said).run(row) == LoggedRun(
        configuration=Configuration(request_model="acme/one", temperature=1.0, output_budget_tokens=64),
        benchmark_id="gsm8k", instance_id=7, attempt="2", seed=-1,
        usage=Usage(input=3, output=7, source=TokenSource.SERVER, additive=True), status=Status.ERROR,
        started_at=datetime(2026, 1, 1, tzinfo=timezone.utc), latency_seconds=2.0,
        trace_visibility=Visibility.SUMMARY, axes={"depth": 4.0}, tags={"topic": "4"},
        verdicts=(LoggedVerdict(scorer="judge", raw="false",
        value=0.0, kind=ScoreKind.BINARY, extracted_answer="18"),),
    )  # fmt: skip


def test_flags_are_the_names_of_what_holds() -> None:
    flags = {
        "replayed": "r",
        "odd": {"expr": "t > 5"},
        "gone": {"column": "g", "optional": True},
        "always": {"value": True},
    }
    run = plan(flags=flags).run(ROW | {"r": 1, "t": 3})
    assert run.quality_flags == ("replayed", "always")
    with pytest.raises(LogError, match=r"not a boolean .*column r, for flags.replayed.*: found 'often'"):
        plan(flags=flags).run(ROW | {"r": "often", "t": 3})


def test_the_command_names_a_benchmark_better_than_the_default_and_a_column_best() -> None:
    mapping = Mapping.model_validate(LEAST | {"benchmark": "b", "default_benchmark": "unlabelled"})
    plans = [planned(mapping, cells=False, benchmark=said) for said in (None, "said")]
    assert [found.run(ROW | {"b": None}).benchmark_id for found in plans] == ["unlabelled", "said"]
    assert plans[1].run(ROW | {"b": "logged"}).benchmark_id == "logged"


@pytest.mark.parametrize(
    ("model", "row", "visibility"),
    [
        ("secret-1", {"answer": "18"}, "hidden"),
        ("secret-1", {"answer": "18", "r": 0}, "full"),
        ("secret-1", {"answer": "18", "said": "add"}, "full"),
        ("open-1", {"answer": "18"}, "full"),
    ],
)
def test_a_text_is_not_whole_where_the_model_keeps_its_reasoning_to_itself(
    model: str, row: dict[str, Any], visibility: str
) -> None:
    shown = plan(hidden=("secret",), trace_visibility={"value": "full"}, answer="answer", reasoning="said",
                 reasoning_tokens="r")  # fmt: skip
    run = shown.run(ROW | row | {"m": model})
    assert run.trace_visibility.value == visibility
    assert run.estimable is (model == "open-1")


def test_a_column_wins_over_the_benchmark_of_the_command_line_which_stands_in_for_none() -> None:
    mapping = Mapping.model_validate(LEAST | {"benchmark": "b"})
    found = planned(mapping, cells=False, benchmark="said")
    assert [found.run(ROW | {"b": name}).benchmark_id for name in ("logged", None)] == ["logged", "said"]


@pytest.mark.parametrize(
    ("visibility", "model", "estimable"),
    [
        ("full", "acme/one", True),
        ("full", "acme/secret", False),
        ("summary", "acme/one", False),
        (None, "acme/one", False),
    ],
)
def test_t_may_be_estimated_only_from_a_full_trace_of_a_model_that_hides_nothing(
    visibility: str | None, model: str, estimable: bool
) -> None:
    found = plan(hidden=("secret",), trace_visibility="shown").run(ROW | {"m": model, "shown": visibility})
    assert found.estimable is estimable


def test_all_wrong_values_of_a_record_are_told_with_column_field_and_value() -> None:
    bad = plan(
        cells=True, output_tokens="T", cost_usd={"expr": "number(usd) / 2"}, verdicts={"s": {"value": "ok"}}
    )
    with pytest.raises(LogError) as caught:
        bad.run({"m": "acme/one", "i": "7", "T": "812 tok", "usd": "much", "ok": "maybe"})
    text = str(caught.value)
    assert "not a count (column T, for output_tokens): found '812 tok'" in text
    assert "(expression number(usd) / 2)" in text
    assert "{'usd': 'much'}" in text
    assert "not a boolean (column ok, for verdicts.s): found 'maybe'" in text


def test_texts_are_cells_only_in_a_text_file() -> None:
    row = ROW | {"T": "812"}
    assert plan(cells=True, output_tokens="T").run(row).usage.output == 812
    with pytest.raises(LogError, match="not a count"):
        plan(cells=False, output_tokens="T").run(row)


@pytest.mark.parametrize(
    ("where", "chosen"),
    [
        ("a > 1", True),
        ("a > 2", False),
        ("gone > 1", False),
        ("boolean(flag)", False),
        ("a", LogError),
        ("flag", LogError),
    ],
)
def test_where_must_be_true_to_choose_a_record(where: str, chosen: Any) -> None:
    row = ROW | {"a": 2, "flag": "False"}
    if chosen is LogError:
        with pytest.raises(LogError, match=r"not a boolean \(where: "):
            plan(where=where).selects(row)
    else:
        assert plan(where=where).selects(row) is chosen
    assert plan().selects(row)
