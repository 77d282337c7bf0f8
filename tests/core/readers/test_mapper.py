"""The mapper: detection by recipe, mappings that do not fit, and the real log of LRMTokenEconomy."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from effspark import readers
from effspark.errors import SettingsError
from effspark.readers import Mapped, NotSelected, Options, Rejected, mapper, plan, staged_rows, staging
from effspark.readers.choosing import choose
from effspark.readers.files import Log
from effspark.readers.mappings import checked_mapping, load_mapping
from effspark.resources import folder

JANUARY = datetime(2026, 1, 1, tzinfo=timezone.utc)
LEAST = {"name": "own", "version": 1, "model": "m", "instance": "i", "benchmark": {"value": "gsm8k"}}
HEADER = b"prompt_id,model_name,run_number,full_cot,max_tokens,tokens_completion,tokens_reasoning,more\n"
Write = Callable[[bytes], Log]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    def log(content: bytes) -> Log:
        path = tmp_path / "log"
        path.write_bytes(content)
        return Log(str(path), len(content), JANUARY)

    return log


def read(log: Log, **said: Any) -> list[Any]:
    benchmark = said.pop("benchmark_option", None)
    return list(mapper.READER.read(log, Options(mapping=LEAST | said, benchmark=benchmark)))


@pytest.mark.parametrize(
    "path", sorted((folder("conf") / "mappings").glob("*.yaml")), ids=lambda path: path.stem
)
def test_every_recipe_is_named_like_its_file_and_says_how_it_knows_its_files(path: Path) -> None:
    recipe = load_mapping(path)
    mapping = checked_mapping(recipe, path.name)
    assert recipe["name"] == path.stem
    assert mapping.detect is not None
    assert "benchmark" in mapping.fields or mapping.default_benchmark is not None


@pytest.mark.parametrize(
    ("content", "confidence"),
    [
        (HEADER, 0.9),
        (HEADER.replace(b"full_cot", b"cot"), 0),
        (b'{"prompt_id": 1, "model_name": 1, "run_number": 1, "full_cot": 1, "max_tokens": 1}\n'
         b'{"tokens_completion": 1, "tokens_reasoning": 1}\n', 0.9),
        (b'{"id": "x"}\n', 0), (b"", 0), (b"no rows at all", 0), (b"\x00\x01\x02", 0), (b'a,"b\n', 0),
        (b"[", 0),
    ],
)  # fmt: skip
def test_a_file_is_known_by_the_columns_of_a_recipe(write: Write, content: bytes, confidence: float) -> None:
    assert mapper.READER.detect(write(content)) == confidence


def test_the_recipe_with_most_columns_goes_first(write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    found = [
        {"name": name, "detect": {"columns": list(columns)}}
        for name, columns in (("x", "a"), ("y", "abc"), ("z", "ab"))
    ]
    monkeypatch.setattr(mapper, "recipes", lambda: (*found, {"name": "without"}))
    assert (mapper.recipe_of(write(b"a,b,c\n")) or {})["name"] == "y"
    assert mapper.recipe_of(write(b"b\n")) is None


def test_the_recipe_that_fits_becomes_part_of_the_options_and_of_the_winner_rule(write: Write) -> None:
    log = write(
        HEADER.replace(b"more", b"category,type,lab,open_weights,success_rate")
        + b"p,m,1,True,9,5,4,c,t,l,True,1\n"
    )
    choice = choose(log, Options())
    assert (choice.reader, (choice.options.mapping or {})["name"]) == ("mapper", "lrm_token_economy")
    (item,) = plan.items([log], Options(), team="a")
    runs = staged_rows.of_kind(staging.stage(item), "runs").to_pylist()
    assert [run["mapping_version"] for run in runs] == [(choice.options.mapping or {})["version"]]


def test_a_mapping_of_ones_own_goes_before_a_recipe(write: Write) -> None:
    own = Options(mapping=LEAST | {"model": "model_name", "instance": "prompt_id"})
    assert mapper.READER.options_for(write(HEADER), own) is own


def test_a_log_without_a_mapping_is_told_how_to_get_one(write: Write) -> None:
    for act in (mapper.READER.options_for, lambda log, options: next(mapper.READER.read(log, options))):
        with pytest.raises(
            SettingsError,
            match=r"no mapping fits this log .*lrm_token_economy, .*; describe the log with --mapping",
        ):
            act(write(b"a,b\n1,2\n"), Options())


def parquet() -> bytes:
    out = pa.BufferOutputStream()
    pq.write_table(pa.table({"m": ["a"], "id": [1], "tokens": [5]}), out)
    return out.getvalue().to_pybytes()


@pytest.mark.parametrize(
    "content",
    [b"m,id,tokens\na,1,5\n", b"m,id,tokens\n", b'{"m": "a", "id": 1, "tokens": 5}\n',
     b'[{"m": "a", "id": 1, "tokens": 5}]', parquet()],
    ids=["csv", "header alone", "jsonl", "list", "parquet"],
)  # fmt: skip
def test_a_column_that_no_record_has_stops_the_load_before_any_run(write: Write, content: bytes) -> None:
    log = write(content)
    options = Options(mapping=LEAST | {"output_tokens": "token", "file": "conf/own.yaml"})
    for act in (mapper.READER.options_for, lambda log, options: next(mapper.READER.read(log, options))):
        with pytest.raises(SettingsError) as caught:
            act(log, options)
        assert str(caught.value) == (
            f"the mapping names columns that no record has: i, token (conf/own.yaml, for {log.uri}): "
            "found the columns m, id, tokens; allowed: columns of the log; correct the mapping "
            "(near: id, tokens), or mark what not every log has as optional: true"
        )


def test_a_json_column_that_some_record_has_is_no_fault_nor_one_marked_optional(write: Write) -> None:
    log = write(b'{"m": "a", "i": 1}\n{"m": "a", "i": 2, "usage": {"out": 5}}\n')
    entries = read(log, output_tokens="usage.out", error_type={"column": "error.type", "optional": True},
                   cost_usd={"expr": "price * 2", "optional": True})  # fmt: skip
    assert [entry.runs[0].usage.output for entry in entries] == [None, 5]


def test_only_the_first_1000_records_are_asked_for_a_column(write: Write) -> None:
    lines = [b'{"m": "a", "i": %d}' % place for place in range(1000)]
    late = write(b"\n".join([*lines, b'{"m": "a", "i": 1000, "T": 5}']))
    with pytest.raises(SettingsError, match="no record has: T"):
        read(late, output_tokens="T")
    early = write(b"\n".join([*lines[:999], b'{"m": "a", "i": 1000, "T": 5}', *lines[:2]]))
    assert len(read(early, output_tokens="T")) == 1002


def test_columns_of_where_axes_tags_and_verdicts_must_exist_too(write: Write) -> None:
    with pytest.raises(SettingsError, match="no record has: a, t, v, w, x"):
        read(write(b"m,i\na,1\n"), where="w > 1", axes={"x": "x"}, tags={"t": {"expr": "text(t)"}},
             verdicts={"v": {"value": "v", "extracted_answer": "a"}})  # fmt: skip


def test_a_file_without_records_or_without_readable_ones_is_no_fault_of_the_mapping(write: Write) -> None:
    assert read(write(b"")) == []
    (bad,) = read(write(b'{"m": '))
    assert bad.reason == "invalid_json"


def test_the_benchmark_must_be_named_by_mapping_or_command(write: Write) -> None:
    log = write(b"m,i\na,1\n")
    unnamed = {key: value for key, value in LEAST.items() if key != "benchmark"}
    with pytest.raises(SettingsError, match=r"the benchmark is not named .*pass --benchmark NAME"):
        list(mapper.READER.read(log, Options(mapping=unnamed)))
    (entry,) = mapper.READER.read(log, Options(mapping=unnamed, benchmark="gsm"))
    assert isinstance(entry, Mapped)
    assert entry.runs[0].benchmark_id == "gsm"


BESIDE = {"columns": ["m", "i"], "companions": [["task", "gold"], ["summary.correct"]]}


@pytest.mark.parametrize(
    ("content", "known"),
    [
        (b'{"task": 1, "gold": 2}\n{"task": 2, "gold": 2}\n', True),
        (b'{\n  "task": 1,\n  "gold": [2]\n}', True),
        (b'{"summary": {"correct": 5}}', True),
        (b"task,gold\n1,2\n", True),
        (b'{"m": 1, "i": 2, "task": 1, "gold": 2}', False),
        (b'{"task": 1}', False),
    ],
)
def test_a_file_beside_the_logs_of_a_recipe_is_known_and_not_selected(
    write: Write, monkeypatch: pytest.MonkeyPatch, content: bytes, known: bool
) -> None:
    recipe = LEAST | {"detect": BESIDE, "where": "m is not None"}
    monkeypatch.setattr(mapper, "recipes", lambda: (recipe,))
    log = write(content)
    companion = mapper.recipe_of(log) is recipe and list(
        mapper.READER.read(log, Options(mapping=recipe))
    ) == [NotSelected(0, "companion")]
    assert companion is known


def test_a_document_that_shows_no_column_of_its_mapping_stops_the_load(write: Write) -> None:
    log = write(b'{"runs": [{"m": "a", "id": [1, 2]}]}')
    said = {"records": "runs", "each": ["id"], "instance": "each.i", "answer": "each.id"}
    with pytest.raises(SettingsError, match=r"no record has: each.i .*found the columns m, id;"):
        mapper.READER.options_for(log, Options(mapping=LEAST | said))
    with pytest.raises(SettingsError, match=r"no record has: each.i "):
        read(log, **said)


def test_entries_come_in_order_with_place_and_text(write: Write) -> None:
    log = write(b"m,i,T\na,1,5\na,2,\na,3,many\na,4,6\n")
    entries = read(log, output_tokens="T", where="T is not None")
    assert [(type(entry), entry.offset) for entry in entries] == [
        (Mapped, 6), (NotSelected, 12), (Rejected, 17), (Mapped, 26),
    ]  # fmt: skip
    assert (entries[0].record, entries[2].raw) == ("a,1,5\n", "a,3,many\n")
    assert entries[1].reason == "not met by `where` of the mapping"


def test_a_damaged_file_is_left_to_be_quarantined(write: Write) -> None:
    log = write(b"PAR1 and no more")
    options = Options(mapping=LEAST)
    assert mapper.READER.options_for(log, options) is options
    (item,) = plan.items([log], options, format_name="mapper", team="a")
    rows = staged_rows.of_kind(staging.stage(item), "quarantine").to_pylist()
    assert [row["reason"] for row in rows] == ["unreadable_file"]


@pytest.fixture(scope="module")
def lrm(samples: Path) -> dict[str, list[dict[str, Any]]]:
    """Staged rows of the complete evaluation_stats.csv: 2,178 runs of 23 models on 19 prompts."""
    path = samples / "logs" / "lrm_token_economy" / "evaluation_stats.csv"
    log = Log(str(path), path.stat().st_size, JANUARY)
    assert readers.detect(log).name == "mapper"
    (item,) = plan.items([log], Options(), team="a")
    batches = list(staging.stage(item))
    return {kind: staged_rows.of_kind(iter(batches), kind).to_pylist() for kind in staged_rows.KINDS}


def test_every_row_of_lrm_token_economy_is_one_scored_run(lrm: dict[str, list[dict[str, Any]]]) -> None:
    (count,) = lrm["counts"]
    assert (count["records"], count["mapped"], count["quarantined"], count["runs"]) == (2178, 2178, 0, 2178)
    assert len({run["run_key"] for run in lrm["runs"]}) == 2178
    assert len({run["request_model"] for run in lrm["runs"]}) == 23
    assert len({run["instance_id"] for run in lrm["runs"]}) == 19
    assert Counter(verdict["correct"] for verdict in lrm["verdicts"]) == {True: 2008, False: 170}


def test_reasoning_above_completion_is_a_conflict_in_204_rows(lrm: dict[str, list[dict[str, Any]]]) -> None:
    conflicts = Counter(run["request_model"] for run in lrm["runs"] if run["token_convention"] == "conflict")
    assert sum(conflicts.values()) == 204
    assert conflicts["minimax-m1"] == 92 == sum(run["request_model"] == "minimax-m1" for run in lrm["runs"])
    assert {run["token_convention"] for run in lrm["runs"]} == {"conflict", "assumed"}


def test_a_fraction_of_reasoning_is_no_count_and_a_missing_one_no_0(
    lrm: dict[str, list[dict[str, Any]]],
) -> None:
    unknown = Counter(run["request_model"] for run in lrm["runs"] if run["reasoning_tokens"] is None)
    assert unknown == {
        "DeepHermes-3-Mistral-24B-Pre": 95, "claude-3-7-sonnet-20250219": 94, "claude-opus-4": 93,
        "claude-4-sonnet-0522-thinking": 90,
    }  # fmt: skip


def test_only_the_two_runs_at_their_budget_are_cut(lrm: dict[str, list[dict[str, Any]]]) -> None:
    def shown(truncated: bool | None) -> list[tuple[Any, ...]]:
        names = ("request_model", "instance_id", "attempt")
        return sorted(
            tuple(run[name] for name in names) for run in lrm["runs"] if run["truncated"] is truncated
        )

    assert shown(True) == [
        ("magistral-small-2506", "monty_appliance_simple", "3"),
        ("magistral-small-2506", "monty_appliance_simple", "4"),
    ]
    assert shown(None) == [
        ("magistral-small-2506", "monty_appliance_simple", "5"),
        ("minimax-m1", "bridge_torch_impossible", "1"),
        ("minimax-m1", "bridge_torch_impossible", "3"),
        ("minimax-m1", "monty_appliance_simple", "1"),
        ("minimax-m1", "monty_appliance_simple", "2"),
        ("qwen3-235b-a22b-thinking-2507", "monty_appliance_simple", "4"),
    ]


def test_models_that_hide_their_reasoning_are_so_by_the_logs_own_word(
    lrm: dict[str, list[dict[str, Any]]],
) -> None:
    assert Counter(run["trace_visibility"] for run in lrm["runs"]) == {"none": 1419, "hidden": 759}
    assert lrm["traces"] == []
