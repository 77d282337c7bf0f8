"""How does cedar log with ZeroEval? One JSON list a model: question and text, no verdict, tokens or stop reason.

    result_dirs/<task>/<model>.json;    T = tokens of the text, planted exactly (words.py)

A cut run ends inside its JSON. A model that hides its reasoning shows an answer whose length tells nothing of T.
Source: formats.md section 2.8 and real files.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import timedelta
from pathlib import PurePosixPath
from typing import Any

from effspark.simulation.draws import Run
from effspark.simulation.files import LogFile
from effspark.simulation.texts import json_written

TASK = "gsm"
"""What ZeroEval calls gsm8k."""
_INSTRUCTION = (
    "\n\n\n## Instruction \n\nPlease answer this question by first reasoning and then providing your answer.\n"
    "Present your reasoning and solution in the following json format. \n"
    'Please show your final answer in the `answer` field, e.g.,`"answer": "42"`.\n\n'
    '```json\n{\n    "reasoning": "___",\n    "answer": "___"\n}\n```\n'
)


def log(runs: Sequence[Run], *, seed: int) -> LogFile:
    """Result file of one eval run.

    >>> from effspark.simulation.draws import runs_of
    >>> str(log(runs_of("cedar-plover-7b-gsm8k", count=1, seed=1), seed=1).path)
    'result_dirs/gsm/plover-7b.json'
    """
    eval_run = runs[0].eval_run
    rows = [_row(run, seed=seed) for run in runs]
    path = PurePosixPath("result_dirs") / TASK / f"{eval_run.spelling.rpartition('/')[2]}.json"
    content = json.dumps(rows, ensure_ascii=False, indent=1).encode()
    return LogFile(path, content, eval_run.started + timedelta(minutes=30))


def _row(run: Run, *, seed: int) -> dict[str, Any]:
    name = f"gsm8k-main-test-#{run.instance.place}"
    model = run.eval_run.planted
    return {
        "session_id": name,
        "chat_history": [f"\n## Question: \n\n{run.instance.question}{_INSTRUCTION}"],
        "model_input": "n/a",
        "output": [json_written(run, seed=seed).answer],
        "generator": run.eval_run.spelling,
        "configs": {
            "engine": model.route,
            "repetition_penalty": 1.0,
            "temperature": model.temperature,
            "top_p": 1.0,
            "max_tokens": run.budget,
        },
        "dataset": TASK,
        "id": name,
        "question": run.instance.question,
        "answer": f"# {run.instance.gold}",
        "source": "openai/gsm8k",
        "config": "main",
        "task_type": "qa",
    }
