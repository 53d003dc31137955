"""The examples of docs/adapters.md run; where a framework is not installed, against the names taken from it."""

import asyncio
import importlib.util
import re
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Generic, TypeVar

import pytest

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "adapters.md").read_text("utf-8")
AI, EVALS, INSPECT, ANY = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
OPENED = "In 1907 (https://port.example/)."
INVENTED = "In 1907 (https://port.example/history)."

A, B, C = (TypeVar(name) for name in "ABC")


class Context(SimpleNamespace, Generic[A, B, C]):
    """What an evaluator is given."""


class Evaluator(Generic[A, B, C]):
    """What an evaluator is."""


@dataclass
class Dataset:
    """Runs a function over cases, and asks the evaluators."""

    name: str
    cases: list
    evaluators: list

    def evaluate_sync(self, task: Callable, progress: bool) -> SimpleNamespace:
        rows = []
        for case in self.cases:
            given = [one.evaluate(Context(output=task(case.inputs))) for one in self.evaluators]
            rows.append(SimpleNamespace(assertions={type(self.evaluators[0]).__name__: given[0]}))
        return SimpleNamespace(cases=rows)


STAND_INS = {
    "pydantic_evals": {"Case": SimpleNamespace, "Dataset": Dataset},
    "pydantic_evals.evaluators": {
        "EvaluationReason": SimpleNamespace,
        "Evaluator": Evaluator,
        "EvaluatorContext": Context,
    },
    "inspect_ai": {"Task": SimpleNamespace},
    "inspect_ai.dataset": {"Sample": SimpleNamespace},
    "inspect_ai.solver": {"TaskState": SimpleNamespace},
    "inspect_ai.scorer": {
        "CORRECT": "C",
        "INCORRECT": "I",
        "Score": SimpleNamespace,
        "Scorer": Callable,
        "Target": str,
        "accuracy": lambda: "accuracy",
        "stderr": lambda: "stderr",
        "scorer": lambda *, metrics: lambda made: made,
    },
}


@pytest.fixture
def framework(monkeypatch):
    """Return a function that puts stand-ins in the place of a framework that is not installed."""

    def need(name: str) -> None:
        if importlib.util.find_spec(name) is not None:
            return
        for module, names in STAND_INS.items():
            if module.partition(".")[0] == name:
                made = ModuleType(module)
                vars(made).update(names)
                monkeypatch.setitem(sys.modules, module, made)
        monkeypatch.delitem(sys.modules, f"research_eval.adapter.{name}", raising=False)

    return need


def run(example: str) -> dict:
    space: dict = {"__name__": "example"}
    exec(compile(example, "example", "exec"), space)
    return space


def test_pydantic_ai_asks_again_until_the_answer_cites_what_was_opened():
    from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart
    from pydantic_ai.models.function import FunctionModel

    seen = []

    def reply(messages, info):
        seen.append(messages)
        if len(seen) == 1:
            call = ToolCallPart("fetch", {"url": "https://port.example/"})
            return ModelResponse(parts=[call])
        return ModelResponse(parts=[TextPart(INVENTED if len(seen) == 2 else OPENED)])

    space = run(AI)
    with space["agent"].override(model=FunctionModel(reply)):
        done = asyncio.run(space["agent"].run("When?", deps=space["Research"]()))

    assert done.output == OPENED
    assert "https://port.example/history: you never opened this page" in str(seen[2][-1])


def test_pydantic_evals_says_why_an_answer_does_not_hold(framework):
    framework("pydantic_evals")
    report = run(EVALS)["report"]

    (one,) = report.cases[0].assertions.values()
    assert not one.value
    assert one.reason.startswith("answer:1:10: unknown_url: https://port.example/history")


@pytest.mark.parametrize(("answer", "value"), [(OPENED, "C"), (INVENTED, "I")])
def test_inspect_scores_an_answer(framework, answer, value):
    framework("inspect_ai")
    space = run(INSPECT)
    task = space["task"]
    state = SimpleNamespace(
        output=SimpleNamespace(completion=answer), metadata=task.dataset[0].metadata
    )
    scorer = task.scorer[0] if isinstance(task.scorer, list) else task.scorer
    score = asyncio.run(scorer(state, None))

    assert (score.value, score.answer) == (value, answer)
    assert score.metadata["gate"].startswith("default@")
    assert ("unknown_url: https://port.example/history" in (score.explanation or "")) == (
        value == "I"
    )


def test_any_other_framework_takes_a_number_and_a_reason():
    score = run(ANY)["score"]

    assert score(OPENED, ["https://port.example/"]) == (1.0, "")
    assert score(INVENTED, ["https://port.example/"])[0] == 0.0
