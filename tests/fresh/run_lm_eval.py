"""Writes logs of two tiny tasks with lm-evaluation-harness: `python run_lm_eval.py FOLDER`, in its environment."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from lm_eval.__main__ import cli_evaluate
from lm_eval.api.model import LM
from lm_eval.api.registry import register_model

SUMS = [
    {"question": "1+2?", "answer": "3"},
    {"question": "2+2?", "answer": "5"},
    {"question": "7+7?", "answer": "14"},
]
TASK = """
task: {name}
dataset_path: json
dataset_kwargs: {{data_files: {{test: {data}}}}}
test_split: test
output_type: generate_until
doc_to_text: "{{{{question}}}}"
doc_to_target: "{{{{answer}}}}"
repeats: {repeats}
generation_kwargs: {{until: ["\\n"], do_sample: true, temperature: 0.5, max_gen_toks: 64}}
metric_list: [{{metric: exact_match, aggregation: mean, higher_is_better: true}}]
filter_list:
  - name: strict
    filter: [{{function: regex, regex_pattern: "^It is (\\\\d+)$"}}, {{function: take_first}}]
  - name: last-number
    filter: [{{function: regex, regex_pattern: "(\\\\d+)", group_select: -1}}, {{function: take_first}}]
metadata: {{version: 2.0}}
"""


@register_model("adder")
class Adder(LM):
    """Adds; of 7+7 it says the sum in other words than one filter waits for."""

    def __init__(self, pretrained: str = "", **settings: Any) -> None:
        super().__init__()

    def generate_until(self, requests: list[Any], disable_tqdm: bool = False) -> list[str]:
        """One text a request."""
        found = []
        for request in requests:
            question, _ = request.args
            total = sum(map(int, question.rstrip("?").split("+")))
            found.append(f"It is {total}" if total != 14 else f"I say {total}")
        return found

    def loglikelihood(self, requests: list[Any], disable_tqdm: bool = False) -> list[tuple[float, bool]]:
        """Chance of a continuation."""
        return [(-1.0, True) for _ in requests]

    def loglikelihood_rolling(self, requests: list[Any], disable_tqdm: bool = False) -> list[float]:
        """Chance of a text."""
        return [-1.0 for _ in requests]


def main(folder: Path) -> None:
    """Write the tasks and their data, and evaluate."""
    folder.mkdir(parents=True)
    data = folder / "sums.jsonl"
    data.write_text("".join(f"{json.dumps(row)}\n" for row in SUMS), "utf-8")
    for name, repeats in (("sums", 1), ("sums_twice", 2)):
        (folder / f"{name}.yaml").write_text(TASK.format(name=name, data=data, repeats=repeats), "utf-8")
    sys.argv[1:] = ["run", "--model", "adder", "--model_args", "pretrained=team/adder-1", "--log_samples"]
    sys.argv += [
        "--tasks",
        "sums,sums_twice",
        "--include_path",
        str(folder),
        "--output_path",
        str(folder / "out"),
    ]
    cli_evaluate()


if __name__ == "__main__":
    main(Path(sys.argv[1]).absolute())
