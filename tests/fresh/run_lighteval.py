"""Writes the log of two tiny tasks with lighteval: `python run_lighteval.py FOLDER`, in its environment.

lighteval imports torch, gigabytes with CUDA, and the models that need it, and calls neither for a model of one's own:
empty modules stand in for them.
"""

from __future__ import annotations

import json
import sys
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType
from typing import Any

SUMS = {"right": ("1+2?", "3"), "wrong": ("2+2?", "5"), "cut": ("60+60?", "120")}
BUDGET = 64
NOT_HERE = ("torch", "lighteval.models.model_loader", "lighteval.tasks.tasks.")


class StandIn(MetaPathFinder, Loader):
    """Modules whose every name is an empty class."""

    def find_spec(self, name: str, path: Any, target: Any = None) -> ModuleSpec | None:
        known = name.startswith(NOT_HERE)
        return ModuleSpec(name, self, is_package=True) if known else None

    def create_module(self, spec: ModuleSpec) -> None:
        return None

    def exec_module(self, module: ModuleType) -> None:
        module.__version__, module.TASKS_TABLE = "2.5.0", ()  # type: ignore[attr-defined]
        module.__getattr__ = _named  # type: ignore[method-assign]


def _named(name: str) -> type:
    if name.startswith("__"):
        raise AttributeError(name)
    return type(name, (), {})


sys.meta_path.insert(0, StandIn())

from lighteval.logging.evaluation_tracker import EvaluationTracker  # noqa: E402
from lighteval.metrics.metrics import Metrics  # noqa: E402
from lighteval.models.abstract_model import LightevalModel, ModelConfig  # noqa: E402
from lighteval.models.model_output import ModelResponse  # noqa: E402
from lighteval.pipeline import ParallelismManager, Pipeline, PipelineParameters  # noqa: E402
from lighteval.tasks.lighteval_task import LightevalTaskConfig  # noqa: E402
from lighteval.tasks.requests import Doc  # noqa: E402
from lighteval.utils.cache_management import SampleCache  # noqa: E402


class Adder(LightevalModel):
    """Adds, a token a character; of 60+60 all that is allowed. One text thinks aloud; of two the second has a space."""

    tokenizer, add_special_tokens, max_length = None, False, 2048

    def __init__(self, folder: Path) -> None:
        settings = {"temperature": 0.5}
        self.config = ModelConfig(
            model_name="team/adder-1", generation_parameters=settings, cache_dir=str(folder)
        )
        self._cache = SampleCache(self.config)

    def greedy_until(self, docs: list[Doc]) -> list[ModelResponse]:
        """Answers to documents."""
        return [self._answer(doc) for doc in docs]

    def _answer(self, doc: Doc) -> ModelResponse:
        total = sum(map(int, doc.query.rstrip("?").split("+")))
        thinks, ends = ("<think>1+", "</think>") if doc.num_samples == 1 else ("", "")
        said = thinks + "1" * BUDGET if total == 120 else f"{thinks}{ends}{total}"
        texts = [f"{' ' * place}{said}"[:BUDGET] for place in range(doc.num_samples)]
        ids = [[ord(letter) for letter in text] for text in texts]
        return ModelResponse(input=doc.query, input_tokens=[1, 2, 3], text=texts, output_tokens=ids)

    def loglikelihood(self, docs: list[Doc]) -> list[ModelResponse]:
        """Not asked for."""
        raise NotImplementedError

    loglikelihood_rolling = loglikelihood


def asked(line: dict[str, Any], task_name: str | None = None) -> Doc:
    """A row of the data as a document."""
    return Doc(task_name=task_name, query=line["question"], choices=[line["answer"]], gold_index=0)


def main(folder: Path) -> None:
    """Write tasks and their data, and evaluate."""
    data, home = folder / "data", folder / "out"
    data.mkdir(parents=True)
    rows = [{"question": question, "answer": answer} for question, answer in SUMS.values()]
    (data / "test.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows), "utf-8")
    metrics = {"sums": Metrics.exact_match, "sums_twice": Metrics.avg_at_n(sample_params={"n": 2})}
    tasks = ModuleType("tasks")
    tasks.TASKS_TABLE = [  # type: ignore[attr-defined]
        LightevalTaskConfig(
            name=name, prompt_function=asked, hf_repo=str(data), hf_subset="default", metrics=[metric],
            evaluation_splits=["test"], hf_avail_splits=["test"], generation_size=BUDGET, version=2,
        )
        for name, metric in metrics.items()
    ]  # fmt: skip
    pipeline = Pipeline(
        tasks="sums|0,sums_twice|0",
        pipeline_parameters=PipelineParameters(
            launcher_type=ParallelismManager.CUSTOM, custom_tasks_directory=tasks
        ),
        evaluation_tracker=EvaluationTracker(output_dir=str(home), save_details=True),
        model=Adder(folder / "cache"),
    )
    pipeline.evaluate()
    pipeline.save_and_push_results()


if __name__ == "__main__":
    main(Path(sys.argv[1]).absolute())
