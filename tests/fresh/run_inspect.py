"""Writes logs of a tiny evaluation with Inspect's mock model: `python run_inspect.py FOLDER`, in its environment.

FOLDER/json       the evaluation as a document, without its last sum
FOLDER/eval       the whole as an archive; one of its ten attempts fails
FOLDER/edited     the archive after a score was edited and an attempt invalidated by hand
FOLDER/retried    what Inspect makes of that when it retries: the failed and the invalidated attempt are new
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import inspect_ai
from inspect_ai import Task, task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.log import (
    EvalLog,
    ProvenanceData,
    edit_score,
    invalidate_samples,
    read_eval_log,
    write_eval_log,
)
from inspect_ai.model import (
    ChatCompletionChoice,
    ChatMessageAssistant,
    ContentReasoning,
    ContentText,
    GenerateConfig,
    ModelOutput,
    ModelUsage,
    modelapi,
)
from inspect_ai.model._providers.mockllm import MockLLM
from inspect_ai.scorer import ScoreEdit, match
from inspect_ai.solver import generate

SUMS = {
    "right": ("1+2?", "3"),
    "wrong": ("2+2?", "5"),
    "cut": ("60+60?", "120"),
    "limit": ("200+200?", "400"),
    "fails": ("7+7?", "14"),
}
BUDGET, LIMIT = 64, 500
asked: list[str] = []


def answer(messages: list[Any], tools: Any, choice: Any, config: GenerateConfig) -> ModelOutput:
    """12 tokens, 5 of them the answer; all that is allowed where the sum is 120, and more where it is 400."""
    question = messages[-1].text
    asked.append(question)
    if question == SUMS["fails"][0] and asked.count(question) == 2:
        raise RuntimeError("no answer today")
    total = sum(map(int, question.rstrip("?").split("+")))
    used = {120: BUDGET, 400: 2 * LIMIT}.get(total, 12)
    content = [
        ContentReasoning(reasoning="Let me add."),
        ContentText(text=f"It is {total}" if used == 12 else ""),
    ]
    said = ChatCompletionChoice(
        message=ChatMessageAssistant(content=content, source="generate"),
        stop_reason="max_tokens" if used == BUDGET else "stop",
    )
    usage = ModelUsage(input_tokens=9, output_tokens=used, total_tokens=9 + used, reasoning_tokens=used - 5)
    return ModelOutput(model="adder-1", choices=[said], usage=usage)


@modelapi(name="adder")
class Adder(MockLLM):
    """The mock model that answers as above, by a name that a retry finds again."""

    def __init__(self, model_name: str, **settings: Any) -> None:
        super().__init__(model_name, **settings, custom_outputs=answer)


@task
def sums() -> Task:
    """Five sums, each attempted twice."""
    samples = [
        Sample(id=name, input=question, target=target, metadata={"digits": len(target)})
        for name, (question, target) in SUMS.items()
    ]
    return Task(
        dataset=MemoryDataset(samples, name="sums-of-two"),
        solver=generate(),
        scorer=match(),
        config=GenerateConfig(max_tokens=BUDGET, temperature=0.5),
        token_limit=LIMIT,
        epochs=2,
        version=3,
    )


def corrected(log: EvalLog, path: Path) -> EvalLog:
    """The log with a score edited and an attempt invalidated, written to a path."""
    log = read_eval_log(log.location)
    ann = ProvenanceData(author="ann", reason="the target was wrong")
    edit_score(log, "wrong", "match", ScoreEdit(value="C", provenance=ann), epoch=1)
    (uuid,) = [str(one.uuid) for one in log.samples or () if (one.id, one.epoch) == ("right", 2)]
    log = invalidate_samples(log, [uuid], ProvenanceData(author="bob", reason="seen in training"))
    write_eval_log(log, str(path), format="eval")
    return read_eval_log(str(path))


def main(folder: Path) -> None:
    """Evaluate twice, correct by hand, retry."""
    settings: dict[str, Any] = {"display": "none", "fail_on_error": False, "max_samples": 1}
    inspect_ai.eval(
        sums(), model="adder/mock", log_dir=str(folder / "json"), log_format="json", limit=4, **settings
    )
    (log,) = inspect_ai.eval(
        sums(), model="adder/mock", log_dir=str(folder / "eval"), log_format="eval", **settings
    )
    edited = corrected(log, folder / "edited" / Path(log.location).name)
    inspect_ai.eval_retry(edited, log_dir=str(folder / "retried"), log_format="eval", **settings)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
