"""What lies in the files of a simulation? A recount by obvious loops that knows the formats and nothing of the drawing.

Each file gives plain records of its runs, the newest file wins, and the table of definitions.md section 1 is
applied row by row.
"""

from __future__ import annotations

import csv
import io
import json
import zipfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import bpe_openai
import yaml
import zstandard

Record = dict[str, Any]
Group = tuple[str, str]

STOPS = {
    "completed": "stop",
    "max_tokens": "length",
    "max_output_tokens": "length",
    "content_filter": "refusal",
    "host_limit": "unknown",
}


def members(path: Path) -> dict[str, Any]:
    """Parsed members of an archive of either compression."""
    data, found = path.read_bytes(), {}
    archive = zipfile.ZipFile(io.BytesIO(data))
    for info in archive.infolist():
        begin = info.header_offset + 30 + len(info.filename)
        packed = data[begin : begin + info.compress_size]
        deflated = info.compress_type == zipfile.ZIP_DEFLATED
        text = archive.read(info) if deflated else zstandard.decompress(packed, info.file_size)
        found[info.filename] = json.loads(text)
    return found


def of_inspect(path: Path) -> Iterator[tuple[object, Record]]:
    if path.suffix == ".json":
        whole = json.loads(path.read_text("utf-8"))
        spec, config, samples = whole["eval"], whole["plan"]["config"], whole["samples"]
    else:
        parts = members(path)
        spec, config = parts["_journal/start.json"]["eval"], parts["_journal/start.json"]["plan"]["config"]
        samples = [value for name, value in parts.items() if name.startswith("samples/")]
    for sample in samples:
        usage = sample["model_usage"].get(spec["model"])
        stop = sample["output"]["choices"][0]["stop_reason"] if sample["output"]["choices"] else None
        aside = "invalidated" if "invalidation" in sample else "excluded" if "exclusion" in sample else "ok"
        yield (
            (spec["task_id"], sample["id"], sample["epoch"]),
            {
                "eval_run": spec["task_id"],
                "benchmark": spec["task"],
                "instance": sample["input" if spec["task"] == "gsm8k" else "id"],
                "model": spec["model"],
                "budget": config.get("max_tokens"),
                "status": "errors" if "error" in sample else aside,
                "stop": "agent" if "limit" in sample else STOPS.get(stop, stop),
                "tokens": usage["output_tokens"] if usage else None,
                "correct": {"C": True, "I": False}.get(sample["scores"].get("match", {}).get("value")),
            },
        )


def of_batch(path: Path, labels: dict[str, Record]) -> Iterator[tuple[object, Record]]:
    failures = path.name.endswith("_error.jsonl")
    beside = path.with_name(path.name.replace("_error", "_input")).read_bytes() if failures else b""
    asked = {json.loads(line)["custom_id"]: json.loads(line)["body"] for line in beside.splitlines()}
    for line in path.read_bytes().splitlines():
        try:
            row = json.loads(line.decode())
        except ValueError:
            continue
        label = labels.get(row["custom_id"], {"benchmark": "unlabelled", "instance": None, "correct": None})
        body = asked[row["custom_id"]] if failures else row["response"]["body"]
        usage = body.get("usage") or {}
        tokens = usage.get("completion_tokens", usage.get("output_tokens"))
        if row["custom_id"] is None or isinstance(tokens, str):
            continue
        stop = body["choices"][0]["finish_reason"] if "choices" in body else body.get("status")
        if stop == "incomplete":
            stop = body["incomplete_details"]["reason"]
        yield (
            row["custom_id"],
            {
                **{name: label[name] for name in ("benchmark", "instance", "correct")},
                "eval_run": path.name.rsplit("_", 1)[0],
                "model": body["model"],
                "budget": body.get("max_output_tokens"),
                "status": "errors" if failures else "ok",
                "stop": STOPS.get(stop, stop),
                "tokens": tokens,
            },
        )


def of_zeroeval(path: Path) -> Iterator[tuple[object, Record]]:
    count = bpe_openai.get_encoding("o200k_base").encode_ordinary
    for row in json.loads(path.read_text("utf-8")):
        text, whole, hidden = row["output"][0], row["output"][0].endswith("}"), "o4" in row["generator"]
        yield (
            (row["generator"], row["id"]),
            {
                "eval_run": path.name,
                "benchmark": "gsm8k",
                "instance": row["question"],
                "model": row["generator"],
                "budget": row["configs"]["max_tokens"],
                "status": "ok",
                "stop": None if hidden else "inferred stop" if whole else "inferred length",
                "tokens": None if hidden else len(count(text)),
                "correct": whole and json.loads(text)["answer"] == row["answer"].removeprefix("# "),
                "estimated": True,
            },
        )


def of_table(path: Path) -> Iterator[tuple[object, Record]]:
    with path.open(encoding="utf-8", newline="") as stream:
        rows = [row for row in csv.DictReader(stream) if not row["tok_out"].startswith("-")]
    for row in rows:
        yield (
            (row["job"], row["puzzle"], row["try"]),
            {
                "eval_run": row["job"],
                "benchmark": "chains",
                "instance": row["puzzle"],
                "model": row["system"],
                "budget": int(row["max_out"]) if row["max_out"] else None,
                "status": {"ok": "ok", "error": "errors", "cancelled": "cancelled"}[row["state"]],
                "stop": STOPS.get(row["ended"], row["ended"]) or None,
                "tokens": int(row["tok_out"]) if row["tok_out"] else None,
                "correct": {"True": True, "False": False}.get(row["exact"]),
            },
        )


def records(out: Path, *, late: bool) -> list[Record]:
    """One record a run: the newest file that holds it counts."""
    labelled = [out / "labels" / "birch.jsonl", *([out / "late" / "labels" / "birch.jsonl"] if late else [])]
    rows = b"".join(file.read_bytes() for file in labelled).splitlines()
    labels = {json.loads(line)["custom_id"]: json.loads(line) for line in rows}
    files = [file for top in ("logs", "late")[: 1 + late] for file in (out / top).rglob("*.*")]
    found: dict[object, Record] = {}
    for file in sorted(set(files) - set(labelled), key=lambda file: file.stat().st_mtime):
        if file.suffix == ".eval" or file.parent.name == "aurora":
            found |= dict(of_inspect(file))
        elif file.suffix == ".jsonl" and not file.name.endswith("_input.jsonl"):
            found |= dict(of_batch(file, labels))
        elif file.suffix == ".json":
            found |= dict(of_zeroeval(file))
        elif file.suffix == ".csv":
            found |= dict(of_table(file))
    return list(found.values())


def counted(record: Record) -> Counter[str]:
    """The table of definitions.md section 1 for one run."""
    stop, tokens, budget = record["stop"], record["tokens"], record["budget"]
    if record["status"] != "ok":
        told = tokens if record["status"] == "errors" and tokens is not None else 0
        return Counter({"runs": 1, record["status"]: 1, "errors_with_tokens": told > 0, "error_tokens": told})
    inferred = stop in ("unknown", "inferred stop", "inferred length")
    if stop == "unknown":
        stop = "length" if tokens == budget else "stop"
    elif inferred:
        stop = stop.removeprefix("inferred ")
    cut = stop in ("length", "agent")
    if record["correct"] is None and not cut and record["benchmark"] != "unlabelled":
        return Counter(runs=1, unscored=1)
    if tokens is None:
        told = dict.fromkeys(("missing_known", "missing_truncated", "censored"), int(stop == "length"))
        counts = Counter(runs=1, missing=1, missing_budget=budget or 0, missing_without_budget=budget is None)
        return counts + Counter(told)
    right, known, refused = bool(record["correct"]) and not cut, stop is not None, stop == "refusal"
    found = Counter(runs=1, n=1, tokens=tokens, tokens_squared=tokens**2)
    found.update(correct=right, correct_tokens=right * tokens, known_correct=known and right)
    found.update(known=known, known_completed=known and not cut, agent_limited=stop == "agent")
    found.update(truncated=stop == "length", truncated_inferred=stop == "length" and inferred)
    found.update(truncated_correct=cut and bool(record["correct"]), estimated=record.get("estimated", False))
    found.update(refused=refused, refused_tokens=tokens * refused)
    return found


def recount(out: Path, work: dict[str, dict[str, int]], *, late: bool) -> dict[Group, Counter[str]]:
    """(benchmark, key of the model) -> counts; `work` holds W by benchmark and canonical instance."""
    names = yaml.safe_load((out / "conf.yaml").read_text("utf-8"))["aliases"]["model"]
    items = (out / "items" / "gsm8k.jsonl").read_text("utf-8").splitlines()
    place_of = {json.loads(line)["question"]: str(place) for place, line in enumerate(items)}
    found: dict[Group, Counter[str]] = {}
    kept = records(out, late=late)
    budgets: dict[str, set[int | None]] = {}
    for record in kept:
        budgets.setdefault(record["eval_run"], set()).add(record["budget"])
    for record in kept:
        mixed = len(budgets[record["eval_run"]]) > 1
        budget = "varies" if mixed else record["budget"] or "unknown"
        group = record["benchmark"], f"{names.get(record['model'], record['model'])}@{budget}"
        counts = counted(record)
        if counts["n"] and record["benchmark"] != "unlabelled":
            instance = place_of.get(record["instance"], record["instance"])
            counts["work"] += work[record["benchmark"]][instance]
        found.setdefault(group, Counter()).update(counts)
    return found
