"""Who reads a file: the named format, else the surest reader, else the mapping."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from effspark import cli, readers
from effspark.errors import LogError, SettingsError
from effspark.laptop import gather, planned
from effspark.readers import MAPPER, Options, Reads, plan
from effspark.readers.choosing import AUTO, UNKNOWN_READER, Choice, choose, refuse_if_unusable
from effspark.readers.files import Log
from tests.core.readers.test_plan import MAPPING, NOT_A_LOG, PLAIN, answer, staged, written
from tests.core.readers.test_readers import Sure


def chosen(*paths: Path, options: Options = PLAIN, format_name: str = AUTO) -> list[Choice]:
    logs = plan.files([str(path) for path in paths])
    return [choose(log, options, format_name=format_name) for log in logs]


def test_files_of_no_known_format_alone_are_refused_with_exit_code_1(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    written(tmp_path / "a.bin", NOT_A_LOG)
    written(tmp_path / "b.bin", NOT_A_LOG)
    counts = gather(planned([str(tmp_path)], PLAIN)).counts.to_pylist()
    with pytest.raises(
        LogError, match=r"(?s)unknown log format \(.*a\.bin\).*2 files, none of a known format"
    ):
        refuse_if_unusable(counts)
    assert cli.main(["quick", str(tmp_path)]) == 1
    out, err = capsys.readouterr()
    assert (out, err.count("effspark: ")) == ("", 1)


def test_an_unknown_file_among_known_ones_is_counted_and_quarantined(tmp_path: Path) -> None:
    known, unknown = written(tmp_path / "a.jsonl"), written(tmp_path / "b.bin", NOT_A_LOG)
    assert [choice.reader for choice in chosen(tmp_path)] == ["openai_batch", None]
    rows = staged(planned([str(tmp_path)], PLAIN))
    refuse_if_unusable(rows["counts"].to_pylist())
    assert rows["counts"]["reader"].to_pylist() == ["openai_batch", UNKNOWN_READER]
    tallies = {row["source_uri"]: row for row in rows["counts"].to_pylist()}
    assert (tallies[str(known)]["mapped"], tallies[str(known)]["quarantined"]) == (1, 0)
    assert (tallies[str(unknown)]["records"], tallies[str(unknown)]["quarantined"]) == (1, 1)
    [refused] = rows["quarantine"].to_pylist()
    assert (refused["source_uri"], refused["reason"]) == (str(unknown), "unknown_format")
    assert "--mapping" in refused["detail"]


def test_a_named_format_is_used_without_asking_the_content(tmp_path: Path) -> None:
    path = written(tmp_path / "a.bin", NOT_A_LOG)
    assert [choice.reader for choice in chosen(path, format_name="zeroeval")] == ["zeroeval"]
    with pytest.raises(SettingsError, match="found zeroevil; allowed: auto, inspect_ai, openai_batch"):
        chosen(path, format_name="zeroevil")


def test_a_file_that_two_readers_claim_is_refused_as_unknown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(readers, "registry", lambda: {name: Sure(name, 0.8) for name in ("one", "other")})
    [choice] = chosen(written(tmp_path / "a.jsonl"))
    assert choice.reader is None
    assert "found one and other" in str(choice.why)
    with pytest.raises(LogError, match="two readers claim this log"):
        refuse_if_unusable(gather(planned([str(tmp_path)], PLAIN)).counts.to_pylist())


def test_a_mapping_reads_the_files_that_nobody_knows_and_only_those(tmp_path: Path) -> None:
    written(tmp_path / "a.jsonl")
    written(tmp_path / "b.csv", "m,i\nacme,7\n")
    options = Options(mapping=MAPPING)
    assert [choice.reader for choice in chosen(tmp_path, options=options)] == ["openai_batch", MAPPER]
    assert [choice.reader for choice in chosen(tmp_path)] == ["openai_batch", None]


def test_a_file_that_the_mapping_does_not_fit_is_unknown_and_told_why(tmp_path: Path) -> None:
    path, options = written(tmp_path / "c.csv", "model,i\nacme,7\n"), Options(mapping=MAPPING)
    [choice] = chosen(tmp_path, options=options)
    assert (choice.reader, choice.reason) == (None, "unfit_mapping")
    for text in ("no record has: m", str(path), "found the columns model, i"):
        assert text in str(choice.why)
    with pytest.raises(SettingsError, match="no record has: m"):
        chosen(tmp_path, options=options, format_name=MAPPER)


def test_a_recipe_reads_its_files_with_its_own_mapping(tmp_path: Path) -> None:
    columns = "prompt_id,model_name,run_number,full_cot,max_tokens,tokens_completion,tokens_reasoning"
    more = ",success_rate,category,type,lab,open_weights"
    row = "p1,acme/m,1,True,100,50,20,1.0,c,t,l,True"
    [choice] = chosen(written(tmp_path / "stats.csv", f"{columns}{more}\n{row}\n"))
    assert choice.reader == MAPPER
    assert (choice.options.mapping or {})["name"] == "lrm_token_economy"


@pytest.mark.parametrize(
    "data", [gzip.compress(answer("a").encode())[:-12], b"\x1f\x8b garbage", b"\x28\xb5\x2f\xfd garbage"]
)
def test_a_damaged_file_that_no_reader_knows_is_unreadable_not_unknown(data: bytes, tmp_path: Path) -> None:
    (choice,) = chosen(written(tmp_path / "a.jsonl.gz", data))
    assert choice.reader is None
    (refused,) = staged(planned([str(tmp_path)], PLAIN))["quarantine"].to_pylist()
    assert refused["reason"] == "unreadable_file"
    assert "cannot be read to its end" in refused["detail"]


def test_a_file_cut_near_its_end_keeps_its_reader_and_its_whole_records(tmp_path: Path) -> None:
    rows = "".join(answer(f"q{n * 7919 % 10007}", n) for n in range(10_000)).encode()
    (choice,) = chosen(written(tmp_path / "a.jsonl.gz", gzip.compress(rows)[:-400]))
    assert choice.reader == "openai_batch"
    found = staged(planned([str(tmp_path)], PLAIN))
    assert found["runs"].num_rows > 5000
    assert found["quarantine"]["reason"].to_pylist() == ["unreadable_file"]


def test_a_mapping_that_does_not_fit_the_file_it_is_named_for_is_a_fault_of_the_settings(
    tmp_path: Path,
) -> None:
    written(tmp_path / "c.csv", "model,i\nacme,7\n")
    work = planned([str(tmp_path)], Options(mapping=MAPPING), format_name=MAPPER)
    with pytest.raises(SettingsError, match="no record has: m"):
        refuse_if_unusable(gather(work).counts.to_pylist())


class Failing(Sure):
    """A reader whose every question about a log fails."""

    def detect(self, log: Log) -> float:  # noqa: ARG002
        raise KeyError("magic")

    def options_for(self, log: Log, options: Options) -> Options:  # noqa: ARG002
        raise KeyError("options")

    def is_lines(self, log: Log, options: Options) -> bool:  # noqa: ARG002
        raise KeyError("lines")


@pytest.mark.parametrize(("format_name", "failed"), [(AUTO, "magic"), ("failing", "options")])
def test_a_file_whose_reader_cannot_be_asked_is_quarantined_and_the_rest_is_read(
    format_name: str, failed: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = written(tmp_path / "a.jsonl")
    monkeypatch.setattr(
        readers, "registry", lambda: {"sure": Sure("sure", 1), "failing": Failing("failing", 0)}
    )
    [choice] = chosen(path, format_name=format_name)
    assert (choice.reader, choice.reason) == (None, "reader_failed")
    assert f"a reader failed (failing, reading {path}): found KeyError: '{failed}'" in str(choice.why)
    (refused,) = staged(planned([str(path)], PLAIN, format_name=format_name))["quarantine"].to_pylist()
    assert (refused["reason"], refused["reader"]) == ("reader_failed", UNKNOWN_READER)


def test_a_large_file_whose_reader_cannot_say_whether_it_is_lines_is_read_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = written(tmp_path / "a.jsonl")
    reader = Failing("failing", 0, reads=Reads.FILE)
    monkeypatch.setattr(reader, "options_for", lambda _, options: options, raising=False)
    monkeypatch.setattr(readers, "registry", lambda: {"failing": reader})
    monkeypatch.setattr(plan, "RANGE_BYTES", 8)
    (item,) = planned([str(path)], PLAIN, format_name="failing")
    assert (item.start, item.end) == (0, None)


def test_nothing_read_is_no_fault() -> None:
    refuse_if_unusable([])


def test_a_damaged_file_named_for_a_mapping_that_is_not_given_is_damaged(tmp_path: Path) -> None:
    written(tmp_path / "a.parquet", b"PAR1 and no more")
    rows = staged(planned([str(tmp_path)], PLAIN, format_name=MAPPER))
    refuse_if_unusable(rows["counts"].to_pylist())
    assert rows["quarantine"]["reason"].to_pylist() == ["unreadable_file"]


def test_a_whole_file_that_no_mapping_fits_is_a_fault_of_the_settings(tmp_path: Path) -> None:
    written(tmp_path / "a.csv", "x,y\n1,2\n")
    with pytest.raises(SettingsError, match="no mapping fits this log"):
        refuse_if_unusable(gather(planned([str(tmp_path)], PLAIN, format_name=MAPPER)).counts.to_pylist())
