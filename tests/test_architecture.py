"""The rules of the design that a reader of one file cannot see: who imports whom, what Connect allows, sizes, tests."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from fnmatch import fnmatch
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]

ORDER = (
    "errors", "wording", "declared", "resources", "sections", "settings", "tables", "lakes", "runs", "benchmarks",
    "readers", "layers", "resampling", "pool", "analyses", "gold", "messages", "markup", "printing", "arrow_engine",
    "laptop", "checking", "leaderboard", "efficiency_tables", "local_sql", "dictionary", "loaded", "show", "show_load",
    "show_check", "commands", "simulation", "spark", "demonstration", "jobs", "cli",
)  # fmt: skip
"""Imports point left only."""

HEAVY = {"pandas", "pyarrow", "numpy", "pyspark", "duckdb", "deltalake", "narwhals"}
LIGHT = ("cli", "commands", "errors", "settings", "resources", "lakes")
"""Modules of effspark that `--help` needs; the jobs are light too."""

SPARK_ONLY = {"pyspark", "delta"}
CONNECT_UNSAFE = {
    "sparkContext", "_jvm", "_jdf", "_sc", "rdd", "broadcast", "accumulator", "monotonically_increasing_id", "rand",
    "randn", "sample", "approxQuantile", "percentile_approx", "approx_percentile",
}  # fmt: skip
UNSAFE_SQL = re.compile(
    r"\b(rand|randn|monotonically_increasing_id|percentile_approx|approx_percentile)\s*\(", re.I
)

WITHOUT_TEST: dict[str, str] = {}
"""Modules that have no test of their name, and why."""

LONGEST_MODULE, LONGEST_FUNCTION = 250, 40

TOP_LEVEL = {
    ".ci", ".git", ".gitignore", "CHANGELOG.md", "CONTRIBUTING.md", "LICENSE", "Makefile", "README.md", "bench",
    "conf", "constraints.txt", "deploy", "docs", "effspark", "jobs", "notebooks", "pyproject.toml", "schemas",
    "setup.py", "tests",
}  # fmt: skip


def modules(*folders: str) -> list[Path]:
    return sorted(path for folder in folders for path in (ROOT / folder).rglob("*.py"))


def name_of(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def parsed(path: Path) -> ast.Module:
    return ast.parse(path.read_text("utf-8"), str(path))


def unit_of(path: Path) -> str:
    """Part of the design that a file belongs to."""
    parts = path.relative_to(ROOT).with_suffix("").parts
    return "jobs" if parts[0] == "jobs" else parts[1]


def imported(tree: ast.AST) -> Iterator[str]:
    """Dotted names that are imported anywhere; `from a import b` is a.b."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "imports are absolute"
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def at_import(tree: ast.Module) -> Iterator[ast.stmt]:
    """Statements that run when the module is imported."""
    waiting = list(tree.body)
    while waiting:
        node = waiting.pop()
        yield node
        if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and "TYPE_CHECKING" not in ast.dump(
            node
        ):
            waiting += [child for child in ast.iter_child_nodes(node) if isinstance(child, ast.stmt)]


@pytest.mark.parametrize("path", modules("effspark", "jobs"), ids=name_of)
def test_imports_point_left_only(path: Path) -> None:
    unit = unit_of(path)
    if path == ROOT / "effspark" / "__init__.py":
        assert not any(name.startswith("effspark") for name in imported(parsed(path)))
        return
    assert unit in ORDER, f"give {unit} a place in ORDER"
    allowed = {unit, *ORDER[: ORDER.index(unit)]}
    for name in imported(parsed(path)):
        parts = name.split(".")
        if parts[0] == "jobs" or parts[:2] == ["effspark", "jobs"]:
            assert "jobs" in allowed, f"{unit} must not import {name}"
        elif parts[0] == "effspark" and len(parts) > 1 and not parts[1].startswith("__"):
            assert parts[1] in allowed, f"{unit} must not import {name}"


@pytest.mark.parametrize(
    "path", [path for path in modules("effspark", "jobs") if unit_of(path) != "spark"], ids=name_of
)
def test_only_the_engine_knows_spark(path: Path) -> None:
    assert {name.split(".")[0] for name in imported(parsed(path))} & SPARK_ONLY == set()


@pytest.mark.parametrize("path", modules("effspark"), ids=name_of)
def test_no_rule_uses_a_window_that_pyarrow_fills_in_any_order(path: Path) -> None:
    """docs/decisions/no-windows-in-narwhals.md; windows of Spark itself are fine."""
    if unit_of(path) != "spark":
        called = {node.attr for node in ast.walk(parsed(path)) if isinstance(node, ast.Attribute)}
        assert "over" not in called


@pytest.mark.parametrize("path", modules("effspark"), ids=name_of)
def test_rules_aggregate_plain_columns_only(path: Path) -> None:
    """docs/decisions/plain-aggregates-in-narwhals.md; aggregates of Spark itself are fine."""
    if unit_of(path) != "spark":
        inside = [
            node.attr
            for call in ast.walk(parsed(path))
            if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and call.func.attr == "agg"
            for argument in call.args
            for node in ast.walk(argument)
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "nw"
        ]
        assert set(inside) <= {"col", "len"}


@pytest.mark.parametrize(
    "path", [*(ROOT / "effspark" / f"{name}.py" for name in LIGHT), *modules("jobs")], ids=name_of
)
def test_what_help_needs_imports_nothing_heavy(path: Path) -> None:
    heavy = {name.split(".")[0] for node in at_import(parsed(path)) for name in imported_by(node)} & HEAVY
    assert heavy == set()


def imported_by(node: ast.stmt) -> Iterator[str]:
    if isinstance(node, (ast.Import, ast.ImportFrom)):
        yield from imported(ast.Module([node], []))


def test_the_command_line_starts_without_anything_heavy() -> None:
    command = [sys.executable, "-X", "importtime", "-c", "import effspark.cli"]
    told = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stderr
    found = {line.rsplit("|", 1)[-1].strip().split(".")[0] for line in told.splitlines()}
    assert "typer" in found
    assert found & HEAVY == set()


@pytest.mark.parametrize("path", modules("effspark/spark", "jobs"), ids=name_of)
def test_the_engine_speaks_only_what_connect_understands(path: Path) -> None:
    tree = parsed(path)
    used = {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
    used |= {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    used |= {name.rsplit(".", 1)[-1] for name in imported(tree)}
    assert used & CONNECT_UNSAFE == set()
    assert not any(name.startswith("delta.") for name in imported(tree)), (
        "MERGE in SQL instead of the class DeltaTable"
    )
    texts = [
        node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    ]
    assert [text for text in texts if UNSAFE_SQL.search(text)] == []


def has_code(path: Path) -> bool:
    rest = [
        node
        for node in parsed(path).body
        if not (isinstance(node, ast.ImportFrom) and node.module == "__future__")
    ]
    return len(rest) > bool(ast.get_docstring(parsed(path)))


@pytest.mark.parametrize(
    "path", [path for path in modules("effspark", "jobs") if has_code(path)], ids=name_of
)
def test_every_module_has_a_test_of_its_name(path: Path) -> None:
    package = path.parent.name
    stem = package if path.name == "__init__.py" and package != "effspark" else path.stem
    if path == ROOT / "effspark" / "__init__.py" or name_of(path) in WITHOUT_TEST:
        return
    found = list((ROOT / "tests").rglob(f"test_{stem}.py"))
    if package != "effspark":
        found = [test for test in found if test.parent.name == package]
    assert found, f"write tests/…/{'' if package == 'effspark' else package + '/'}test_{stem}.py"


def test_exceptions_are_still_needed() -> None:
    assert [name for name in WITHOUT_TEST if not (ROOT / name).is_file()] == []


def lines_of(node: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """Lines of a function without its docstring."""
    whole = (node.end_lineno or node.lineno) - node.lineno + 1
    first = node.body[0]
    if ast.get_docstring(node) is not None:
        whole -= (first.end_lineno or first.lineno) - first.lineno + 1
    return whole


@pytest.mark.parametrize("path", modules("effspark", "jobs"), ids=name_of)
def test_modules_and_functions_are_short(path: Path) -> None:
    assert len(path.read_text("utf-8").splitlines()) <= LONGEST_MODULE
    functions = [
        node for node in ast.walk(parsed(path)) if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
    ]
    assert {node.name: lines_of(node) for node in functions if lines_of(node) > LONGEST_FUNCTION} == {}


def test_nothing_lies_at_the_top_that_the_design_does_not_name() -> None:
    ignored = [
        line.strip().strip("/")
        for line in (ROOT / ".gitignore").read_text("utf-8").splitlines()
        if line.strip()
    ]
    found = {
        path.name for path in ROOT.iterdir() if not any(fnmatch(path.name, pattern) for pattern in ignored)
    }
    assert found <= TOP_LEVEL
