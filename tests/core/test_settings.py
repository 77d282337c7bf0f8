"""Settings: the package's, then a file's, then `--set`; all problems at once."""

from __future__ import annotations

import re
from datetime import date
from pathlib import Path

import pytest

from effspark import settings
from effspark.errors import SettingsError


def test_shipped_settings_are_those_of_the_definitions() -> None:
    report = settings.load().report
    assert (report.refusals, report.unknown_completion) == ("include", "exclude")
    assert (report.least_known_completion, report.least_coverage, report.error_rate_gap) == (0.95, 0.95, 0.02)
    assert (report.least_runs_for_informative_missing, report.rank_estimated_with_counted) == (5, False)


def test_a_file_changes_what_it_names_and_an_override_has_the_last_word(tmp_path: Path) -> None:
    file = tmp_path / "own.yaml"
    file.write_text("report: {refusals: exclude, least_coverage: 0.5}\naliases: {model: {a: b}}\n")
    found = settings.load(file, ["report.least_coverage=0.25", "aliases.model.c=d"])
    assert (found.report.refusals, found.report.least_coverage) == ("exclude", 0.25)
    assert found.report.least_known_completion == 0.95
    assert dict(found.aliases["model"]) == {"a": "b", "c": "d"}
    assert found.aliases["benchmark"]["gsm"] == "gsm8k"


def test_a_list_is_replaced_not_extended() -> None:
    assert settings.load(overrides=["scorers=[judge]"]).scorers == ("judge",)


def test_all_faults_are_told_with_name_and_value() -> None:
    with pytest.raises(SettingsError) as caught:
        settings.load(overrides=["report.refusals=maybe", "report.least_coverage=2", "reports.x=1"])
    lines = str(caught.value).splitlines()
    assert lines[0] == "3 settings cannot be used"
    assert [line.split(":")[0] for line in lines[1:]] == [
        "  - report.refusals", "  - report.least_coverage", "  - reports",
    ]  # fmt: skip
    assert "'include' or 'exclude'" in lines[1]
    assert "found 'maybe'" in lines[1]


@pytest.mark.parametrize(
    ("override", "allowed"),
    [
        ("report.refusal=include", "refusals, unknown_completion, "),
        ("benchmarks.gsm8k.scorer=match", "scorers, answers, work, declared, scales, pool, axes, exclusions"),
        ("benchmarks.gsm8k.exclusions=[{instances: 1}]", "instance, reason, source, date"),
        ("reports.x=1", "report, pool, resampling, diagnosis, readers, benchmarks, "),
    ],
)
def test_a_misspelt_setting_is_told_with_those_there_are(override: str, allowed: str) -> None:
    with pytest.raises(SettingsError, match=f": there is no such setting; allowed: {allowed}"):
        settings.load(overrides=[override])


@pytest.mark.parametrize(
    "override",
    [
        "benchmarks.gsm8k.v1.scorers=[label]",
        "benchmarks.a=b.scorers=[label]",
        "aliases.model.gpt-4.1=gpt",
    ],
)
def test_a_name_that_set_cannot_reach_is_told_with_the_remedy(override: str) -> None:
    with pytest.raises(SettingsError, match=r"a name that holds \. or =, set it in a file \(--conf FILE\)$"):
        settings.load(overrides=[override])


@pytest.mark.parametrize("override", ["benchmarks.gsm8k.scorer=[label]", "benchmarks.gsm8k.work=[a=b]"])
def test_of_other_faults_no_such_remedy_is_told(override: str) -> None:
    with pytest.raises(SettingsError) as caught:
        settings.load(overrides=[override])
    assert "--conf" not in str(caught.value)


def test_a_word_in_place_of_a_list_is_told_with_how_a_list_is_written() -> None:
    told = re.escape(
        "benchmarks.gsm8k.scorers: found 'label'; allowed: a list; a list of one is written [label]"
    )
    with pytest.raises(SettingsError, match=told):
        settings.load(overrides=["benchmarks.gsm8k.scorers=label"])


@pytest.mark.parametrize("override", ["report", "=1", "report.refusals=[", " =1"])
def test_an_override_that_is_none_is_told(override: str) -> None:
    with pytest.raises(SettingsError, match=re.escape(f"--set {override}")):
        settings.load(overrides=[override])


@pytest.mark.parametrize(
    ("text", "told"),
    [("- 1", "found list"), ("[]", "found list"), ("a: [", "a conf file cannot be read"), ("5", "found int")],
)
def test_a_file_that_is_no_mapping_is_told_by_its_path(tmp_path: Path, text: str, told: str) -> None:
    file = tmp_path / "own.yaml"
    file.write_text(text)
    with pytest.raises(SettingsError, match=told) as caught:
        settings.load(file)
    assert str(file) in str(caught.value)


def test_an_empty_file_changes_nothing_and_a_missing_one_is_told(tmp_path: Path) -> None:
    file = tmp_path / "own.yaml"
    file.write_text("# nothing yet\n")
    assert settings.load(file) == settings.load()
    with pytest.raises(SettingsError, match="a conf file cannot be read"):
        settings.load(tmp_path / "absent.yaml")


def test_scorers_of_a_benchmark_go_before_those_of_all() -> None:
    found = settings.load(overrides=["benchmarks={gsm8k: {scorers: [a]}, arith: {}}", "scorers=[b]"])
    assert [found.scorers_of(name) for name in ("gsm8k", "arith", "other")] == [("a",), ("b",), ("b",)]


def excluding(*listed: str) -> settings.Settings:
    return settings.load(overrides=[f"benchmarks.gsm8k.exclusions=[{', '.join(listed)}]"])


def test_an_exclusion_names_instance_reason_source_and_date() -> None:
    (found,) = (
        excluding("{instance: 7, reason: no answer, source: errata, date: 2026-01-31}")
        .benchmarks["gsm8k"]
        .exclusions
    )
    assert (found.instance, found.reason, found.source, found.date) == (
        "7", "no answer", "errata", date(2026, 1, 31),
    )  # fmt: skip
    assert settings.load().benchmarks["gsm8k"].exclusions == ()


@pytest.mark.parametrize(
    ("one", "told"),
    [
        ("{instance: 7, reason: r, source: s}", "exclusions.0.date"),
        ("{instance: 7, reason: '', source: s, date: 2026-01-31}", "exclusions.0.reason"),
        ("{instance: true, reason: r, source: s, date: 2026-01-31}", "exclusions.0.instance"),
        ("{instance: 1.5, reason: r, source: s, date: 2026-01-31}", "exclusions.0.instance"),
        ("{instance: 7, reason: r, source: s, date: soon}", "exclusions.0.date"),
        ("{instance: 7, reason: r, source: s, date: 2026-01-31, why: x}", "exclusions.0.why"),
    ],
)
def test_an_exclusion_that_lacks_something_is_told_by_its_place(one: str, told: str) -> None:
    with pytest.raises(SettingsError, match=re.escape(f"benchmarks.gsm8k.{told}")):
        excluding(one)


def test_an_instance_is_excluded_once() -> None:
    with pytest.raises(SettingsError, match="instances that stand twice: 7"):
        excluding(*(f"{{instance: {name}, reason: r, source: s, date: 2026-01-31}}" for name in ("7", "'7'")))


def test_the_digest_sees_exclusions() -> None:
    one = excluding("{instance: 7, reason: r, source: s, date: 2026-01-31}")
    assert one.digest() != settings.load().digest()


def test_the_digest_ignores_order_and_sees_every_value() -> None:
    one = settings.load(overrides=["aliases.model.a=c", "aliases.model.b=c", "report.least_coverage=0.5"])
    other = settings.load(overrides=["report.least_coverage=0.5", "aliases.model.b=c", "aliases.model.a=c"])
    assert one.digest() == other.digest()
    changed = settings.load(overrides=["aliases.model.a=c", "aliases.model.b=d", "report.least_coverage=0.5"])
    assert changed.digest() != one.digest()


def test_settings_are_frozen() -> None:
    with pytest.raises(ValueError, match="frozen"):
        settings.load().report.refusals = "exclude"


@pytest.mark.parametrize("pattern", ["(", "a{2,1}", "(?P<a>x)(?P<a>y)", "a{99999999999999999999}"])
def test_a_pattern_that_is_none_is_refused_by_name(pattern: str) -> None:
    with pytest.raises(SettingsError) as caught:
        settings.load(overrides=[f"hidden_trace_models=['{pattern}']"])
    assert f"hidden_trace_models: Value error, '{pattern}' is no regular expression" in str(caught.value)


@pytest.mark.parametrize("number", [".nan", ".inf", "-.inf", "-1", "1e400", "99999999999999999999999"])
@pytest.mark.parametrize(
    "name",
    [
        "report.least_known_completion",
        "report.least_coverage",
        "report.error_rate_gap",
        "report.least_runs_for_informative_missing",
        "aliases_version",
    ],
)
def test_a_number_beyond_its_bounds_is_refused_by_name(name: str, number: str) -> None:
    with pytest.raises(SettingsError, match=f"  - {name}: "):
        settings.load(overrides=[f"{name}={number}"])


@pytest.mark.parametrize(
    "value", ["2026-13-45", "[" * 500, '"\\ud800"', "*a", "!!python/object:os.system {}"]
)
def test_a_value_that_is_none_is_refused_with_its_name(value: str, tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match=r"^--set scorers="):
        settings.load(overrides=[f"scorers={value}"])
    file = tmp_path / "own.yaml"
    file.write_text(f"scorers: {value}\n")
    with pytest.raises(SettingsError, match=r"a conf file cannot be read \(.*own\.yaml\)"):
        settings.load(file)


@pytest.mark.parametrize(
    "override", ["aliases.model.m\udcff=x", "aliases.\ud800.m=x", "aliases.model.m=x\udcff"]
)
def test_half_a_character_is_refused_wherever_an_override_holds_it(override: str) -> None:
    with pytest.raises(SettingsError, match="allowed: text in UTF-8"):
        settings.load(overrides=[override])


def test_half_a_character_in_a_file_of_settings_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "own.yaml"
    file.write_text(r'aliases: {model: {"m\ud800": x}}')
    with pytest.raises(SettingsError, match="surrogates not allowed"):
        settings.load(file)
